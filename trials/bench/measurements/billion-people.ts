import { rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from 'pg'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { migrationTexts } from '../../../packages/platform/parts/migration-texts.ts'
import { DROP_INDEXES, MAKE_INDEX, MAKE_KEYS } from '../load/nullifier-indexes.ts'
import {
  ANY_ACTION,
  countForSeconds,
  INSERT_PARENTS,
  NEW_PERSON,
  readPartSizes,
  withDatabaseClient,
} from '../load/people-counting.ts'
import { type Figure, percentile } from '../report/figure.ts'

const SMALL_SIZE = 10_000
const MEDIUM_SIZE = 1_000_000
/** `--large` also measures the first of these sizes that fits on the disk. */
const LARGE_SIZES = [100_000_000, 30_000_000]
/**
 * A person takes about 400 bytes of disk. The extra bytes are for the write-ahead log, and for sorting the keys of a
 * partition.
 */
const BYTES_PER_PERSON = 400
const EXTRA_BYTES = 12e9
const SECONDS = 5
const LOADS = [
  { connections: 16, peoplePerStatement: 1 },
  { connections: 4, peoplePerStatement: 32 },
]
const BILLION = 1_000_000_000

/**
 * PostgreSQL's cache is far smaller than the primary key's index for a million people, and PostgreSQL bypasses the
 * operating system's cache.
 */
const SETTINGS = ['shared_buffers=32MB', 'debug_io_direct=data', 'max_wal_size=8GB']

type SizeResult = { people: number; figures: Figure[]; vacuumSeconds: number; keyBytes: number }

/**
 * Measures how fast people are counted in random order, in a table of ten thousand, a million and (with `--large`) a hundred
 * million rows. From a million rows on, the indexes are larger than PostgreSQL's cache. Calculates the needs of a billion people
 * from the largest table. If the disk has no space for a hundred million people, thirty million are used.
 */
export async function measureBillionPeople(large: boolean): Promise<Figure[]> {
  const folder = temporaryFolder('billion-')
  const sizes = [
    SMALL_SIZE,
    MEDIUM_SIZE,
    ...(large ? [chooseLargeSize(readFreeBytes(folder))] : []),
  ]
  const postgres = await startPostgres({
    folder: join(folder, 'data'),
    port: await freePort(),
    settings: SETTINGS,
  })
  try {
    return await withDatabaseClient(postgres.url, async (client) => {
      await createTables(client)
      const results: SizeResult[] = []
      for (const people of sizes) {
        await addPeople(client, people)
        results.push(await measureSize(people, { client, url: postgres.url }))
      }
      const largest = requireValue(results.at(-1), 'the last measurement')
      return [...addBaselines(results), ...calculateBillion(largest)]
    })
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** @throws Error if the disk has no space for any of `LARGE_SIZES` */
function chooseLargeSize(bytes: number): number {
  const largest = LARGE_SIZES.find((people) => people * BYTES_PER_PERSON + EXTRA_BYTES <= bytes)
  if (largest === undefined)
    throw new Error(
      `The disk has only ${(bytes / 1e9).toFixed(0)} GB free; the measurement needs ${((requireValue(LARGE_SIZES.at(-1), 'a size') * BYTES_PER_PERSON + EXTRA_BYTES) / 1e9).toFixed(0)} GB.`,
    )
  return largest
}

async function createTables(client: Client): Promise<void> {
  for (const migration of migrationTexts()) await client.query(migration)
  await client.query(INSERT_PARENTS)
}

async function addPeople(client: Client, people: number): Promise<void> {
  const existingRows = await countRows(client)
  const isLarge = people - existingRows > 100_000
  await client.query(
    "set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '1GB'",
  )
  if (isLarge) await client.query(DROP_INDEXES)
  for (let missingRows = people - existingRows; missingRows > 0; missingRows -= 1_000_000)
    await client.query(
      `insert into nullifier (action_id, nullifier_hash, created_at)
      select ${ANY_ACTION}, ${NEW_PERSON}, clock_timestamp()
      from generate_series(1, $1::int)`,
      [Math.min(missingRows, 1_000_000)],
    )
  if (isLarge) for (const statement of [MAKE_KEYS, MAKE_INDEX]) await client.query(statement)
  await client.query('reset session_replication_role; reset synchronous_commit')
  await client.query('vacuum analyze nullifier')
}

async function countRows(client: Client): Promise<number> {
  const { rows } = await client.query<{ people: string }>(
    'select count(*) as people from nullifier',
  )
  return Number(requireValue(rows[0], 'the count').people)
}

type Database = { client: Client; url: string }

async function measureSize(people: number, { client, url }: Database): Promise<SizeResult> {
  const name = `in a table of ${people.toLocaleString('en')}`
  const sizes = await readPartSizes(client)
  const bytes = sizes.reduce((sum, part) => sum + part.bytes, 0)
  const figures: Figure[] = [
    {
      name: `a person, with indexes, ${name}`,
      value: bytes / people,
      unit: 'bytes',
      note: sizes.map((part) => `${part.name} ${(part.bytes / people).toFixed(0)}`).join(', '),
    },
  ]
  for (const load of LOADS) figures.push(...(await measureLoad(name, load, { client, url })))
  const vacuumSeconds = await vacuumPartition(client)
  figures.push({ name: `vacuum of one partition, ${name}`, value: vacuumSeconds, unit: 's' })
  const key = sizes.find((part) => part.name === 'nullifier_pkey')
  return { people, figures, vacuumSeconds, keyBytes: requireValue(key, 'the key').bytes }
}

/**
 * Measures a load right after a checkpoint. Then the write-ahead log (WAL) is largest, because the first change of a page
 * writes the whole page to it.
 */
async function measureLoad(
  name: string,
  { connections, peoplePerStatement }: (typeof LOADS)[number],
  { client, url }: Database,
): Promise<Figure[]> {
  await client.query('checkpoint')
  const startPosition = await readLogPosition(client)
  const ms = await countForSeconds(url, { connections, peoplePerStatement, seconds: SECONDS })
  const people = ms.length * peoplePerStatement
  const load = `${peoplePerStatement} per commit, ${connections} connections, ${name}`
  return [
    { name: `people counted, ${load}`, value: people / SECONDS, unit: '/s' },
    { name: `p99 of a commit, ${load}`, value: percentile(ms, 0.99), unit: 'ms' },
    {
      name: `WAL of a person, ${load}`,
      value: ((await readLogPosition(client)) - startPosition) / people,
      unit: 'bytes',
    },
  ]
}

async function readLogPosition(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes",
  )
  return Number(requireValue(rows[0], 'the position').bytes)
}

/** Deletes a thousandth of the rows of the largest partition, and vacuums all pages of the partition and its indexes. */
async function vacuumPartition(client: Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(
    `select relid::text as name from pg_partition_tree('nullifier') where isleaf
    order by pg_relation_size(relid) desc limit 1`,
  )
  const { name } = requireValue(rows[0], 'a partition')
  await client.query(`delete from ${name} where random() < 0.001`)
  await client.query('checkpoint')
  const startTime = performance.now()
  await client.query(`vacuum (disable_page_skipping, index_cleanup on) ${name}`)
  return (performance.now() - startTime) / 1_000
}

/** Adds the figures of the first size as baselines to the other sizes, except for the vacuum. */
function addBaselines([first, ...otherResults]: readonly SizeResult[]): Figure[] {
  const comparedFigures = otherResults.flatMap(({ figures }) =>
    figures.map((figure, i) => {
      const isComparable = !figure.name.startsWith('vacuum')
      const baseline = isComparable ? first?.figures[i]?.value : undefined
      return baseline === undefined ? figure : { ...figure, baseline }
    }),
  )
  return [...(first?.figures ?? []), ...comparedFigures]
}

/** Calculates the figures of a billion people in proportion to the largest measured table. */
function calculateBillion({ people, figures, vacuumSeconds, keyBytes }: SizeResult): Figure[] {
  const times = BILLION / people
  const bytes = requireValue(figures[0], 'the bytes of a person').value
  const note = `calculated from ${people.toLocaleString('en')}`
  return [
    { name: 'a billion people, with indexes', value: bytes, unit: 'GB', note },
    {
      name: 'primary key of a billion people',
      value: (keyBytes * times) / 1e9,
      unit: 'GB',
      note,
    },
    {
      name: 'vacuum of one partition of a billion people',
      value: (vacuumSeconds * times) / 60,
      unit: 'min',
      note,
    },
  ]
}
