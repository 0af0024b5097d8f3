import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { startServerProcess } from '../../../packages/platform/processes/server-process.ts'
import { type GraphqlServer, serverAt } from './graphql-server.ts'

/** A PostgreSQL for embedded engines. */
export type EngineHost = {
  /** Starts an engine with these settings on a new database. */
  start(settings: Readonly<Record<string, string>>): Promise<EmbeddedEngine>
  stop(): Promise<void>
}

export type EmbeddedEngine = { server: GraphqlServer; stop(): Promise<void> }

/** @param databaseUrl a superuser's URL; if undefined, starts a PostgreSQL that stops with the host */
export async function openEngineHost(databaseUrl: string | undefined): Promise<EngineHost> {
  const folder = temporaryFolder('differential-')
  const postgres = databaseUrl === undefined ? await startTemporaryPostgres(folder) : null
  const url = postgres?.url ?? databaseUrl ?? ''
  return {
    start: (settings) => startEngineOn(url, folder, settings),
    async stop() {
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startTemporaryPostgres(folder: string) {
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
  const port = await freePort()
  return startPostgres({ folder: join(folder, 'postgres'), port, password: randomUUID(), settings })
}

async function startEngineOn(
  url: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<EmbeddedEngine> {
  const name = `differential_${randomUUID().replaceAll('-', '')}`
  const adminSecret = randomUUID()
  const port = await freePort()
  await runOn(url, `create database ${name} template template0 encoding 'UTF8'`)
  const engineProcess = await startServerProcess({
    name: 'The embedded engine',
    entry: 'packages/engine/server.ts',
    env: {
      TZ: 'UTC',
      HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_DATABASE_URL: Object.assign(new URL(url), { pathname: `/${name}` }).href,
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      HASURA_GRAPHQL_LOG_LEVEL: 'error',
      HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'startup',
      ...settings,
    },
    logFile: join(folder, `${name}.log`),
    healthUrl: `http://127.0.0.1:${port}/healthz`,
    onEnd: (error) => console.error(error.message),
  })
  return {
    server: serverAt(`http://127.0.0.1:${port}`, adminSecret),
    async stop() {
      await engineProcess.stop()
      await runOn(url, `drop database ${name} with (force)`)
    },
  }
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
