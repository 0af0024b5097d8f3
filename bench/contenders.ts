import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../platform/free-ports.ts'
import { type Part, startPart } from '../platform/part.ts'
import { startPostgres } from '../platform/postgres.ts'
import type { Call } from './load.ts'
import { openShop, type Shop, TENANT } from './shop.ts'
import type { Workload } from './workloads.ts'

/** One of the servers that are compared. */
export type Contender = {
  name: string
  url: string
  pid: number
  /** The request in this server's words. */
  call(workload: Workload, variables: object): Call
  /** An answer without what is particular to this server. */
  plain(answer: unknown): unknown
}

export type Contenders = Record<'engine' | 'handWritten' | 'postgraphile', Contender> & {
  stop(): Promise<void>
}

/** Starts a database with the rows of `shop` and the three servers on it; `stop` leaves nothing. */
export async function startContenders(shop: Shop): Promise<Contenders> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  // The account that PostgreSQL runs as must be able to enter it.
  chmodSync(folder, 0o755)
  const postgres = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    password: 'bench',
    // The servers are compared, not the disk.
    settings: ['fsync=off', 'synchronous_commit=off', 'shared_buffers=512MB', 'max_wal_size=4GB'],
  })
  const databaseUrl = await openShop(postgres.url, shop)
  const parts: Part[] = []
  const start = async (server: Server): Promise<Contender> => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const part = await startPart({
      name: server.name,
      entry: server.entry,
      env: { NODE_ENV: 'production', GRAPHILE_ENV: 'production', ...server.env(databaseUrl, port) },
      logFile: join(folder, 'servers.log'),
      healthUrl: url + server.healthPath,
      onEnd: (error) => {
        throw error
      },
    })
    parts.push(part)
    return { ...server, url, pid: part.pid }
  }
  const stop = async () => {
    for (const part of parts) await part.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return {
      engine: await start(ENGINE),
      handWritten: await start(HAND_WRITTEN),
      postgraphile: await start(POSTGRAPHILE),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

type Server = Omit<Contender, 'url' | 'pid'> & {
  entry: string
  healthPath: string
  env(databaseUrl: string, port: number): Record<string, string>
}

const ADMIN_SECRET = 'of-the-measurement'

const ENGINE: Server = {
  name: 'engine',
  entry: 'engine/server.ts',
  healthPath: '/healthz?strict=true',
  env: (databaseUrl, port) => ({
    HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
    HASURA_GRAPHQL_SERVER_PORT: String(port),
    HASURA_GRAPHQL_METADATA_DIR: 'bench/metadata',
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  }),
  call: ({ engine }, variables) => ({
    path: '/v1/graphql',
    body: JSON.stringify({ query: engine, variables }),
    headers: {
      'x-hasura-admin-secret': ADMIN_SECRET,
      'x-hasura-role': 'seller',
      'x-hasura-tenant': String(TENANT),
    },
  }),
  plain: (answer) => answer,
}

const HAND_WRITTEN: Server = {
  name: 'hand-written SQL',
  entry: fileURLToPath(new URL('./hand-written.ts', import.meta.url)),
  healthPath: '/',
  env: environment,
  call: ({ name }, variables) => ({
    path: `/${name}`,
    body: JSON.stringify(variables),
    headers: { 'x-hasura-tenant': String(TENANT) },
  }),
  plain: (answer) => answer,
}

const POSTGRAPHILE: Server = {
  name: 'PostGraphile',
  entry: fileURLToPath(new URL('./postgraphile.ts', import.meta.url)),
  healthPath: '/',
  env: environment,
  call: ({ postgraphile }, variables) => ({
    path: '/v1/graphql',
    body: JSON.stringify({ query: postgraphile, variables }),
    headers: { 'x-hasura-role': 'seller', 'x-hasura-tenant': String(TENANT) },
  }),
  plain: withoutConnections,
}

function environment(databaseUrl: string, port: number): Record<string, string> {
  return { DATABASE_URL: databaseUrl, PORT: String(port) }
}

/** Its lists are objects with `nodes`, its count is a number beside them, its mutations have a payload. */
function withoutConnections(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (_key, value) => {
    if (value === null || typeof value !== 'object') return value
    if ('created' in value) return { purchase: value.created.purchase }
    if (typeof value.aggregate === 'number')
      return { ...value, aggregate: { count: value.aggregate } }
    return Object.keys(value).join() === 'nodes' ? value.nodes : value
  })
}
