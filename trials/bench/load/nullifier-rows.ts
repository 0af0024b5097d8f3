import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { DROP_INDEXES, MAKE_INDEX, MAKE_KEYS } from './nullifier-indexes.ts'

const TEAMS = 1_000
/** The number of probe teams. Their rows do not depend on the total, and the measured requests use them. */
export const PROBES = 50
const ROWS_PER_PROBE = 100

/** The duration of the load, and of creating one index concurrently in each partition. */
export type LoadTimes = { seconds: number; indexSeconds: number }

/**
 * Fills a platform's database with 1,000 teams. Each team has an app with an action and a sign-in action. Then fills it by COPY
 * with `count` nullifiers. Creates the indexes after the rows.
 */
export async function loadNullifiers(databaseUrl: string, count: number): Promise<LoadTimes> {
  const client = new Client(databaseUrl)
  // After a failure, PostgreSQL stops and ends this connection. That error must not hide the failure.
  client.on('error', () => {})
  await client.connect()
  const startTime = performance.now()
  await client.query(SESSION_SETTINGS)
  await client.query(DROP_INDEXES)
  await client.query(INSERT_PARENTS)
  const copy = client.query(
    copyFrom('copy nullifier (action_id, nullifier_hash, created_at) from stdin'),
  )
  await pipeline(Readable.from(copyLines(count)), copy)
  await client.query(MAKE_KEYS)
  const indexStart = performance.now()
  for (const partition of await readPartitions(client))
    await client.query(`create index concurrently on ${partition} (action_id, created_at)`)
  // The indexes of the partitions become part of this index.
  await client.query(MAKE_INDEX)
  const indexSeconds = (performance.now() - indexStart) / 1_000
  await client.query('vacuum analyze')
  await client.end()
  return { seconds: (performance.now() - startTime) / 1_000, indexSeconds }
}

/** Disables triggers, which are for single rows that callers write. */
const SESSION_SETTINGS = `
  set session_replication_role = replica;
  set maintenance_work_mem = '1GB';
`

const INSERT_PARENTS = `
  insert into team (id, name) select 'team_' || lpad(n::text, 32, 'a'), 'Team ' || n from generate_series(1, ${TEAMS}) n;
  insert into app (id, team_id, name)
  select 'app_' || lpad(n::text, 32, 'a'), 'team_' || lpad(n::text, 32, 'a'), 'App ' || n
  from generate_series(1, ${TEAMS}) n;
  insert into action (id, app_id, action, name, max_verifications)
  select 'action_' || lpad(n::text, 32, 'a'), 'app_' || lpad(n::text, 32, 'a'), 'vote', 'Vote', 1
  from generate_series(1, ${TEAMS}) n;
  insert into action (id, app_id, action, name, max_verifications)
  select 'action_' || lpad(n::text, 32, 'b'), 'app_' || lpad(n::text, 32, 'a'), '', 'Sign in', 0
  from generate_series(1, ${TEAMS}) n;
`

/** Lists the partitions of the table. */
async function readPartitions(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'nullifier'::regclass order by 1",
  )
  return rows.map(({ name }) => name)
}

/** Creates rows in COPY's text format, 5,000 per chunk, in random order like real people. */
function* copyLines(count: number): Generator<string> {
  let lines: string[] = []
  for (let n = 0; n < count; n++) {
    const time = createTime(n)
    lines.push(`action_${padId(findTeam(n))}\t${createNullifier(n)}\t${time}\n`)
    if (lines.length < 5_000) continue
    yield lines.join('')
    lines = []
  }
  yield lines.join('')
}

/** Creates the nullifier of the nth person, below the field's modulus. */
export function createNullifier(n: number): string {
  return `0x0${pseudorandomHex(n, 8).slice(1)}`
}

/** Creates the time of the nth person's first verification. */
export function createTime(n: number): string {
  return new Date(FIRST_TIME + n * 1_000).toISOString()
}

const FIRST_TIME = Date.UTC(2025, 0)

/** Computes which person (the `n` of `createNullifier`) has the kth nullifier of a team that is no probe team. */
export function findPersonNumber(team: number, k: number): number {
  return PROBES * ROWS_PER_PROBE + (team - PROBES - 1) + k * (TEAMS - PROBES)
}

/** Finds the nth person's team: first the probe teams in turn, then the other teams in turn. */
function findTeam(n: number): number {
  const probeRows = PROBES * ROWS_PER_PROBE
  return n < probeRows ? 1 + (n % PROBES) : PROBES + 1 + ((n - probeRows) % (TEAMS - PROBES))
}

/** Returns the part after the prefix that the ids of a team, its app and its action share: the team's number, padded. */
export function padId(team: number): string {
  return String(team).padStart(32, 'a')
}

/** Creates pseudorandom hex digits, eight per word. The same `n` gives the same digits. */
function pseudorandomHex(n: number, words: number): string {
  let text = ''
  let state = n + 1
  for (let i = 0; i < words; i++) {
    state = Math.imul(state ^ (state >>> 16), 0x45d9f3b) ^ Math.imul(n + i, 0x9e3779b1)
    text += ((state ^ (state >>> 13)) >>> 0).toString(16).padStart(8, '0')
  }
  return text
}
