import { readFileSync } from 'node:fs'
import type { Client } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { startThrowawayPlatform } from '../../../packages/platform/testing/throwaway.ts'
import {
  countForSeconds,
  countPeople,
  INSERT_PARENTS,
  readPartSizes,
  withDatabaseClient,
} from '../load/people-counting.ts'
import { type Figure, percentile } from '../report/figure.ts'

const ROWS = 500_000
const ROWS_PER_CALL = 1_000
const SECONDS = 4

/**
 * Measures the capacity of one PostgreSQL with real commits: people counted per second, with one or many people per commit,
 * and the bytes of each person, including indexes, if people come in random order.
 */
export async function measureDatabaseCapacity(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  const { databaseUrl } = platform.facts
  try {
    await withDatabaseClient(databaseUrl, (client) => client.query(INSERT_PARENTS))
    return [
      await measureCounting(databaseUrl, { connections: 1, peoplePerStatement: 1 }),
      await measureCounting(databaseUrl, { connections: 16, peoplePerStatement: 1 }),
      await measureCounting(databaseUrl, { connections: 64, peoplePerStatement: 1 }),
      await measureCounting(databaseUrl, { connections: 4, peoplePerStatement: 32 }),
      ...(await measureRowSizes(databaseUrl)),
      await measureConnectionMemory(databaseUrl),
    ]
  } finally {
    await platform.stop()
  }
}

async function measureCounting(
  databaseUrl: string,
  { connections, peoplePerStatement }: { connections: number; peoplePerStatement: number },
): Promise<Figure> {
  const ms = await countForSeconds(databaseUrl, {
    connections,
    peoplePerStatement,
    seconds: SECONDS,
  })
  const commits = ms.length / SECONDS
  return {
    name: `people counted, ${peoplePerStatement} per commit, ${connections} connections`,
    value: commits * peoplePerStatement,
    unit: '/s',
    note: `${commits.toFixed(0)} commits a second, p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms`,
  }
}

/** Measures the bytes per row in the table and in its indexes, after counting people has filled them. */
async function measureRowSizes(databaseUrl: string): Promise<Figure[]> {
  const calls = Array.from({ length: ROWS / ROWS_PER_CALL }).values()
  const countShare = async (client: Client) => {
    for (const _ of calls) await countPeople(client, ROWS_PER_CALL)
  }
  await Promise.all([1, 2].map(() => withDatabaseClient(databaseUrl, countShare)))
  return withDatabaseClient(databaseUrl, async (client) => {
    await client.query('vacuum analyze nullifier')
    const { rows } = await client.query<{ people: string }>(
      'select count(*) as people from nullifier',
    )
    const people = Number(requireValue(rows[0], 'the count').people)
    const sizes = (await readPartSizes(client)).map(({ name, bytes }) => ({
      name,
      bytes: bytes / people,
    }))
    const [table = 0, ...indexes] = sizes.map(({ bytes }) => bytes)
    const indexBytes = indexes.reduce((sum, bytes) => sum + bytes, 0)
    return [
      { name: 'a nullifier, in the table', value: table, unit: 'bytes' },
      {
        name: 'a nullifier, in the indexes',
        value: indexBytes,
        unit: 'bytes',
        note: sizes.map(({ name, bytes }) => `${name} ${bytes.toFixed(0)}`).join(', '),
      },
      { name: '100 million nullifiers', value: (table + indexBytes) / 10, unit: 'GB' },
      { name: 'indexes of 100 million nullifiers', value: indexBytes / 10, unit: 'GB' },
    ]
  })
}

/** Measures the private memory of a PostgreSQL process that has counted people. */
async function measureConnectionMemory(databaseUrl: string): Promise<Figure> {
  const kilobytes = await withDatabaseClient(databaseUrl, async (client) => {
    for (let i = 0; i < 100; i++) await countPeople(client, 1)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const { pid } = requireValue(rows[0], 'the id of the process')
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].map(([, kb]) => Number(kb))
  })
  const value = kilobytes.reduce((sum, one) => sum + one, 0) / 1_024
  return { name: 'memory of one connection to PostgreSQL', value, unit: 'MB' }
}
