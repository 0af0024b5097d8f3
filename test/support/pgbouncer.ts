import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { vi } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'

/** Returns the version of PgBouncer, such as 1.26, or null if it is not installed. */
export function pgBouncerVersion(): number | null {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
  const version = /PgBouncer (\d+\.\d+)/.exec(stdout ?? '')?.[1]
  return version === undefined ? null : Number(version)
}

export type PgBouncer = { url: string; stop(): Promise<void> }

/** Starts a PgBouncer in transaction mode with at most two connections to the database. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const folder = temporaryFolder('pgbouncer-')
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const target = `host=${hostname} port=${databasePort} dbname=${pathname.slice(1)} user=${username} password=${decodeURIComponent(password)}`
  const settings = [
    '[databases]',
    `pooled = ${target}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'ignore_startup_parameters = extra_float_digits, statement_timeout',
  ]
  writeFileSync(file, settings.join('\n'))
  chmodSync(file, 0o644)
  // PgBouncer refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...account, file], { stdio: 'ignore' })
  const url = `postgres://anybody@127.0.0.1:${port}/pooled`
  await vi.waitFor(() => connectOnce(url), { timeout: 20_000 })
  return {
    url,
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
      rmSync(folder, { recursive: true })
    },
  }
}

async function connectOnce(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.end()
}
