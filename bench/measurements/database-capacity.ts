import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { present } from '../../lib/present.ts'
import { startThrowawayPlatform } from '../../platform/throwaway.ts'
import { type Figure, percentile } from '../report/figure.ts'

const ROWS = 500_000
const ROWS_PER_CALL = 1_000
const ACTIONS = 100
const SECONDS = 4

/**
 * What one PostgreSQL with real commits can take: people counted per second, with one commit each or many
 * in one, and the bytes that each person takes, indexes included, when people come in random order.
 */
export async function measureDatabaseCapacity(): Promise<Figure[]> {
  const platform = await startThrowawayPlatform()
  const { databaseUrl } = platform.facts
  try {
    await withDatabaseClient(databaseUrl, (client) => client.query(PARENTS))
    return [
      await measureCounting(databaseUrl, { connections: 1, together: 1 }),
      await measureCounting(databaseUrl, { connections: 16, together: 1 }),
      await measureCounting(databaseUrl, { connections: 64, together: 1 }),
      await measureCounting(databaseUrl, { connections: 4, together: 32 }),
      ...(await measureRowSizes(databaseUrl)),
      await measureConnectionMemory(databaseUrl),
    ]
  } finally {
    await platform.stop()
  }
}

const PARENTS = `
  set session_replication_role = replica;
  insert into team (id, name) values ('team_of_measurement', 'Team');
  insert into app (id, team_id, name) values ('app_of_measurement', 'team_of_measurement', 'App');
  insert into action (id, app_id, action, name, max_verifications)
  select 'action_' || lpad(n::text, 32, 'c'), 'app_of_measurement', 'a' || n, 'Action', 1
  from generate_series(1, ${ACTIONS}) n;
`

/** New people: each with a random nullifier for one of the actions. */
const COUNT = `
  select count(*)::int as counted from record_nullifiers((
    select jsonb_agg(jsonb_build_object(
      'action_id', 'action_' || lpad((1 + floor(random() * ${ACTIONS}))::int::text, 32, 'c'),
      'nullifier_hash', '0x0' || substr(encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 2)))
    from generate_series(1, $1::int)))
`

async function measureCounting(
  databaseUrl: string,
  { connections, together }: { connections: number; together: number },
): Promise<Figure> {
  const end = performance.now() + SECONDS * 1_000
  const ms: number[] = []
  const work = async (client: Client) => {
    while (performance.now() < end) {
      const started = performance.now()
      await countPeople(client, together)
      ms.push(performance.now() - started)
    }
  }
  await Promise.all(
    Array.from({ length: connections }, () => withDatabaseClient(databaseUrl, work)),
  )
  const commits = ms.length / SECONDS
  return {
    name: `people counted, ${together} a commit, ${connections} connections`,
    value: commits * together,
    unit: '/s',
    note: `${commits.toFixed(0)} commits a second, p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms`,
  }
}

async function countPeople(client: Client, people: number) {
  const { rows } = await client.query<{ counted: number }>({
    name: 'count',
    text: COUNT,
    values: [people],
  })
  const { counted } = present(rows[0], 'the count')
  if (counted !== people) throw new Error(`${counted} of ${people} were counted.`)
}

/** Bytes per row in the table and in its indexes, after the statement that counts has filled them. */
async function measureRowSizes(databaseUrl: string): Promise<Figure[]> {
  const calls = Array.from({ length: ROWS / ROWS_PER_CALL }).values()
  const work = async (client: Client) => {
    for (const _ of calls) await countPeople(client, ROWS_PER_CALL)
  }
  await Promise.all([1, 2].map(() => withDatabaseClient(databaseUrl, work)))
  return withDatabaseClient(databaseUrl, async (client) => {
    await client.query('vacuum analyze nullifier')
    const { rows } = await client.query<Size>(SIZES)
    const [table = 0, ...indexes] = rows.map(({ bytes }) => bytes)
    const inIndexes = indexes.reduce((sum, bytes) => sum + bytes, 0)
    return [
      { name: 'a nullifier, in the table', value: table, unit: 'bytes' },
      {
        name: 'a nullifier, in the indexes',
        value: inIndexes,
        unit: 'bytes',
        note: rows.map(({ name, bytes }) => `${name} ${bytes.toFixed(0)}`).join(', '),
      },
      { name: '100 million nullifiers', value: (table + inIndexes) / 10, unit: 'GB' },
      { name: 'their indexes', value: inIndexes / 10, unit: 'GB' },
    ]
  })
}

type Size = { name: string; bytes: number }

/** The table itself, then its indexes, each with all partitions. */
const SIZES = `
  select
    part.name,
    (
      select sum(pg_relation_size(relid))::float8
      from pg_partition_tree(part.relation)
    ) / (select count(*) from nullifier) as bytes
  from (
    select 'nullifier' as name, 'nullifier'::regclass as relation
    union all
    select relname, indexrelid
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    where indrelid = 'nullifier'::regclass
  ) as part
  order by part.name <> 'nullifier', part.name
`

/** The private memory of a PostgreSQL process that has counted people. */
async function measureConnectionMemory(databaseUrl: string): Promise<Figure> {
  const kilobytes = await withDatabaseClient(databaseUrl, async (client) => {
    for (let i = 0; i < 100; i++) await countPeople(client, 1)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const { pid } = present(rows[0], 'the id of the process')
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return [...rollup.matchAll(/^Private_\w+:\s+(\d+) kB$/gm)].map(([, kb]) => Number(kb))
  })
  const value = kilobytes.reduce((sum, one) => sum + one, 0) / 1_024
  return { name: 'memory of one connection to PostgreSQL', value, unit: 'MB' }
}

async function withDatabaseClient<Result>(
  databaseUrl: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
