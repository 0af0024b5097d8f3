import { availableParallelism } from 'node:os'
import { publishRoot } from '../chain/publish-root.ts'
import { startThrowaway, type Throwaway } from '../platform/throwaway.ts'
import { developmentKey } from '../simulator/development-key.ts'
import { forger } from '../simulator/forge.ts'
import { type Call, callOnce, closedLoop } from './load.ts'
import {
  loadNullifiers,
  nullifierHash,
  numberOf,
  PROBES,
  paddedId,
  rowOf,
} from './nullifier-rows.ts'
import type { Row } from './row.ts'

const FEW = 10_000
const CALLS_PER_ROUND = 400
const ROUNDS = 5
const CONNECTIONS = 4 * availableParallelism()
/** The action whose people verify while it is measured, of the demo data. */
const VERIFYING = { app: 'app_staging_00000000000000000000000000000001', action: 'vote' }
const ROOT = 4711n
/** No more than 1.2 times as long. */
const AS_FAST = { atLeast: 0.83 }

type Platform = Throwaway['facts']
/** What is measured: a server of the platform, and the calls of one round. */
type Workload = { name: string; at(platform: Platform): string; calls(round: number): Call[] }

/**
 * What callers notice of a million nullifiers (with `--large`, ten) across 1,000 teams: the sample
 * operations of the specification, precheck and verify, beside the same at 10 thousand, on two
 * platforms in turn.
 */
export async function scale(large: boolean): Promise<Row[]> {
  const count = large ? 10_000_000 : 1_000_000
  // A team has a thousandth of all.
  const later = large ? 10_000 : 500
  const few = await startThrowaway()
  const many = await startThrowaway()
  try {
    await loadNullifiers(few.facts.databaseUrl, FEW)
    const { seconds, indexSeconds } = await loadNullifiers(many.facts.databaseUrl, count)
    const both = [few.facts, many.facts] as const
    const rows = []
    for (const workload of await workloads(both)) rows.push(await compare(workload, both))
    return [
      ...rows.map((row) => ({
        ...row,
        name: `${row.name}: ${text(count)} nullifiers ÷ ${text(FEW)}`,
      })),
      await lastPage(many.facts, later),
      { name: 'rows by COPY, with their indexes', value: count / seconds, unit: '/s' },
      { name: 'one of their indexes, concurrently', value: indexSeconds, unit: 's' },
    ]
  } finally {
    await many.stop()
    await few.stop()
  }
}

function text(count: number): string {
  return count.toLocaleString('en')
}

async function workloads(platforms: readonly Platform[]): Promise<Workload[]> {
  for (const { rpcUrl } of platforms) await publishRoot({ rpcUrl, group: 'staging', root: ROOT })
  const { request } = await forger(await developmentKey())
  const people: string[] = []
  const purpose = { appId: VERIFYING.app, action: VERIFYING.action, root: ROOT }
  for (let person = 1n; person <= CALLS_PER_ROUND * (ROUNDS + 1); person++)
    people.push(JSON.stringify(await request({ ...purpose, nullifierHash: person })))
  return [
    graphql('apps: id, name', () => '{ app { id name } }'),
    graphql('actions: id, name, status', () => '{ action { id name status } }'),
    graphql(
      'one active action with its 100 nullifiers',
      (team) =>
        `{ action(where: {id: {_eq: "action_${paddedId(team)}"}, status: {_eq: "active"}}) { name nullifiers { nullifier_hash } } }`,
    ),
    graphql(
      'how many nullifiers an action has',
      (team) =>
        `{ nullifier_aggregate(where: {action_id: {_eq: "action_${paddedId(team)}"}}) { aggregate { count } } }`,
    ),
    {
      name: 'precheck of a person',
      at: ({ baseUrl }) => baseUrl,
      calls: () =>
        forEach((i) => ({
          path: `/api/v1/precheck/app_${paddedId(probe(i))}`,
          body: JSON.stringify({ action: 'vote', nullifier_hash: nullifierHash(i) }),
        })),
    },
    {
      name: 'verify, each time another person',
      at: ({ baseUrl }) => baseUrl,
      calls: (round) => {
        const start = round * CALLS_PER_ROUND
        const path = `/api/v2/verify/${VERIFYING.app}`
        return people.slice(start, start + CALLS_PER_ROUND).map((body) => ({ path, body }))
      },
    },
  ]
}

function graphql(name: string, query: (team: number) => string): Workload {
  return {
    name,
    at: ({ hasura }) => hasura.endpoint,
    calls: () =>
      forEach((i) => ({ path: '/v1/graphql', body: body(query(probe(i))), team: probe(i) })),
  }
}

function body(query: string, variables: object = {}): string {
  return JSON.stringify({ query, variables })
}

function forEach(make: (i: number) => Call & { team?: number }): Call[] {
  return Array.from({ length: CALLS_PER_ROUND }, (_, i) => make(i))
}

function probe(i: number): number {
  return 1 + (i % PROBES)
}

/** The two take turns, so that what else the machine does hits both; the first round only warms up. */
async function compare({ name, at, calls }: Workload, both: readonly Platform[]): Promise<Row> {
  const seconds = both.map(() => 0)
  for (let round = 0; round <= ROUNDS; round++)
    for (const [i, platform] of both.entries()) {
      const run = await closedLoop(at(platform), asTeam(calls(round), platform), CONNECTIONS)
      const failed = run.samples.filter((sample) => sample.failed)
      if (failed.length > 0)
        throw new Error(`${name}: ${failed.length} failed, with ${failed[0]?.status}.`)
      if (round > 0) seconds[i] = (seconds[i] ?? 0) + run.seconds
    }
  const [few = 0, many = 0] = seconds
  const count = CALLS_PER_ROUND * ROUNDS
  return {
    name,
    value: count / many,
    unit: '/s',
    baseline: count / few,
    wanted: AS_FAST,
  }
}

/** As an API key's request is when the auth hook has told whose it is. */
function asTeam(calls: readonly (Call & { team?: number })[], { hasura }: Platform): Call[] {
  return calls.map(({ team, ...call }) =>
    team === undefined ? call : { ...call, headers: session(team, hasura.adminSecret) },
  )
}

function session(team: number, adminSecret: string) {
  return {
    'x-hasura-admin-secret': adminSecret,
    'x-hasura-role': 'api_key',
    'x-hasura-team-id': `team_${paddedId(team)}`,
  }
}

const PAGE = `query ($action: String!, $created_at: timestamptz!, $id: String!) {
  nullifier(
    where: {
      action_id: { _eq: $action }
      created_at: { _gte: $created_at }
      _or: [{ created_at: { _gt: $created_at } }, { id: { _gt: $id } }]
    }
    order_by: [{ created_at: asc }, { id: asc }]
    limit: 500
  ) { id nullifier_hash uses created_at }
}`

/** The page of docs/graphql.md, in the beginning and so many rows later. */
async function lastPage(platform: Platform, later: number): Promise<Row> {
  const team = PROBES + 1
  const { id, time } = rowOf(numberOf(team, later))
  const first = page(team, { created_at: '1970-01-01T00:00:00Z', id: '' })
  const last = page(team, { created_at: time, id })
  await requireRows(platform, first)
  await requireRows(platform, last)
  const seconds = { first: 0, last: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    seconds.first += await timed(platform, first)
    seconds.last += await timed(platform, last)
  }
  return {
    name: `the page after ${text(later)} rows ÷ the first page`,
    value: (ROUNDS * PAGES_PER_ROUND) / seconds.last,
    unit: '/s',
    baseline: (ROUNDS * PAGES_PER_ROUND) / seconds.first,
    wanted: AS_FAST,
  }
}

const PAGES_PER_ROUND = 100

type TeamCall = Call & { team: number }

function page(team: number, after: { created_at: string; id: string }): TeamCall {
  const variables = { action: `action_${paddedId(team)}`, ...after }
  return { path: '/v1/graphql', body: body(PAGE, variables), team }
}

async function requireRows(platform: Platform, call: TeamCall): Promise<void> {
  const [own] = asTeam([call], platform)
  const answer = own && (await callOnce(platform.hasura.endpoint, own))
  const rows = answer?.text.split('nullifier_hash').length ?? 0
  if (rows !== 501) throw new Error(`A page has ${rows - 1} rows: ${answer?.text.slice(0, 300)}`)
}

async function timed(platform: Platform, call: TeamCall): Promise<number> {
  const calls = asTeam(Array(PAGES_PER_ROUND).fill(call), platform)
  return (await closedLoop(platform.hasura.endpoint, calls, CONNECTIONS)).seconds
}
