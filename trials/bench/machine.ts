import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { Client } from 'pg'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { startBenchDatabase } from './contenders/bench-database.ts'

/** Describes the machine on which the figures are measured. */
export async function describeMachine(): Promise<string[]> {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`
  return [
    `${availableParallelism()} cores of ${requireValue(cpus()[0], 'a processor').model.trim()}`,
    memory,
    `${type()} ${release()}`,
    `Node ${process.version.slice(1)}`,
    `PostgreSQL ${await postgresVersion()}`,
  ]
}

async function postgresVersion(): Promise<string> {
  const site = await startBenchDatabase()
  const client = new Client(site.databaseUrl)
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return requireValue(rows[0], 'the version of the server').server_version
  } finally {
    await client.end()
    await site.stop()
  }
}
