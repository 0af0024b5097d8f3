import { availableParallelism } from 'node:os'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { createForger } from '../../../local/simulator/forge.ts'
import {
  startThrowawayPlatform,
  type ThrowawayPlatform,
} from '../../../packages/platform/testing/throwaway.ts'
import { compareServers, type LoadedServer, repeatCall } from '../load/compare-servers.ts'
import { type Call, callOnce } from '../load/http-load.ts'
import {
  createNullifier,
  createTime,
  findPersonNumber,
  loadNullifiers,
  PROBES,
  padId,
} from '../load/nullifier-rows.ts'
import type { Figure } from '../report/figure.ts'

const SMALL_COUNT = 10_000
const CALLS_PER_ROUND = 400
const PAGES_PER_ROUND = 100
const ROUNDS = 5
const CONNECTIONS = 4 * availableParallelism()
/** The action of the demo data for which people verify. */
const VERIFIED_ACTION = { app: 'app_staging_00000000000000000000000000000001', action: 'vote' }
const ROOT = 4711n
/** With many nullifiers, a call may take at most 1.2 times as long as with few. */
const TARGET = { atLeast: 0.83 }

type Platform = ThrowawayPlatform['facts']
/** A kind of call, and how to create its calls for a platform. */
type Workload = { name: string; createLoad(platform: Platform): LoadedServer }

/**
 * Measures how much slower calls are with a million nullifiers (with `--large`, ten million) of 1,000 teams than with
 * 10 thousand. The calls are the specification's sample operations, precheck and verify. The two platforms take turns.
 */
export async function measureNullifierScale(large: boolean): Promise<Figure[]> {
  const count = large ? 10_000_000 : 1_000_000
  // A team has about a thousandth of all nullifiers. After these rows it must have a full page of 500 more.
  const rowsBefore = large ? 10_000 : 500
  const smallPlatform = await startThrowawayPlatform()
  const largePlatform = await startThrowawayPlatform()
  try {
    await loadNullifiers(smallPlatform.facts.databaseUrl, SMALL_COUNT)
    const { seconds, indexSeconds } = await loadNullifiers(largePlatform.facts.databaseUrl, count)
    const rows = []
    for (const { name, createLoad } of await createWorkloads([
      smallPlatform.facts,
      largePlatform.facts,
    ]))
      rows.push(
        await compareServers({
          name: `${name}: ${formatCount(count)} nullifiers ÷ ${formatCount(SMALL_COUNT)}`,
          target: TARGET,
          ours: createLoad(largePlatform.facts),
          baseline: createLoad(smallPlatform.facts),
          rounds: ROUNDS,
          connections: CONNECTIONS,
        }),
      )
    return [
      ...rows,
      await compareLastPage(largePlatform.facts, rowsBefore),
      { name: 'rows by COPY, including indexes', value: count / seconds, unit: '/s' },
      { name: 'one index of all rows, created concurrently', value: indexSeconds, unit: 's' },
    ]
  } finally {
    await largePlatform.stop()
    await smallPlatform.stop()
  }
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}

async function createWorkloads(platforms: readonly Platform[]): Promise<Workload[]> {
  for (const { rpcUrl } of platforms) await publishRoot({ rpcUrl, group: 'staging', root: ROOT })
  const { request } = await createForger(await developmentKey())
  const people: string[] = []
  const purpose = { appId: VERIFIED_ACTION.app, action: VERIFIED_ACTION.action, root: ROOT }
  for (let person = 1n; person <= CALLS_PER_ROUND * (ROUNDS + 1); person++)
    people.push(JSON.stringify(await request({ ...purpose, nullifierHash: person })))
  return [
    createGraphqlWorkload('apps: id, name', () => '{ app { id name } }'),
    createGraphqlWorkload('actions: id, name, status', () => '{ action { id name status } }'),
    createGraphqlWorkload(
      'one active action with its 100 nullifiers',
      (team) =>
        `{ action(where: {id: {_eq: "action_${padId(team)}"}, status: {_eq: "active"}}) { name nullifiers { nullifier_hash } } }`,
    ),
    createGraphqlWorkload(
      'count of the nullifiers of an action',
      (team) =>
        `{ nullifier_aggregate(where: {action_id: {_eq: "action_${padId(team)}"}}) { aggregate { count } } }`,
    ),
    {
      name: 'precheck of a person',
      createLoad: ({ baseUrl }) => ({
        url: baseUrl,
        calls: () =>
          createCalls((i) => ({
            path: `/api/v1/precheck/app_${padId(chooseProbeTeam(i))}`,
            body: JSON.stringify({ action: 'vote', nullifier_hash: createNullifier(i) }),
          })),
      }),
    },
    {
      name: 'verify, a new person each time',
      createLoad: ({ baseUrl }) => ({
        url: baseUrl,
        calls: (round) => {
          const start = round * CALLS_PER_ROUND
          const path = `/api/v2/verify/${VERIFIED_ACTION.app}`
          return people.slice(start, start + CALLS_PER_ROUND).map((body) => ({ path, body }))
        },
      }),
    },
  ]
}

function createGraphqlWorkload(name: string, query: (team: number) => string): Workload {
  return {
    name,
    createLoad: ({ hasura }) => ({
      url: hasura.endpoint,
      calls: () =>
        createCalls((i) => ({
          path: '/v1/graphql',
          body: createBody(query(chooseProbeTeam(i))),
          headers: createSessionHeaders(chooseProbeTeam(i), hasura.adminSecret),
        })),
    }),
  }
}

function createBody(query: string, variables: object = {}): string {
  return JSON.stringify({ query, variables })
}

function createCalls(make: (i: number) => Call): Call[] {
  return Array.from({ length: CALLS_PER_ROUND }, (_, i) => make(i))
}

function chooseProbeTeam(i: number): number {
  return 1 + (i % PROBES)
}

/** Creates the session headers that the auth hook would return for an API key. */
function createSessionHeaders(team: number, adminSecret: string) {
  return {
    'x-hasura-admin-secret': adminSecret,
    'x-hasura-role': 'api_key',
    'x-hasura-team-id': `team_${padId(team)}`,
  }
}

const PAGE = `query ($action: String!, $created_at: timestamptz!, $nullifier_hash: String!) {
  nullifier(
    where: {
      action_id: { _eq: $action }
      created_at: { _gte: $created_at }
      _or: [{ created_at: { _gt: $created_at } }, { nullifier_hash: { _gt: $nullifier_hash } }]
    }
    order_by: [{ created_at: asc }, { nullifier_hash: asc }]
    limit: 500
  ) { nullifier_hash uses created_at }
}`

/** Compares the speed of the first page of the query in docs/graphql.md with that of the page after `rowsBefore` rows. */
async function compareLastPage({ hasura }: Platform, rowsBefore: number): Promise<Figure> {
  const team = PROBES + 1
  const person = findPersonNumber(team, rowsBefore)
  const page = (after: { created_at: string; nullifier_hash: string }): Call => ({
    path: '/v1/graphql',
    body: createBody(PAGE, { action: `action_${padId(team)}`, ...after }),
    headers: createSessionHeaders(team, hasura.adminSecret),
  })
  const side = (call: Call) => ({ url: hasura.endpoint, calls: repeatCall(call, PAGES_PER_ROUND) })
  const first = page({ created_at: '1970-01-01T00:00:00Z', nullifier_hash: '' })
  const last = page({
    created_at: createTime(person),
    nullifier_hash: createNullifier(person),
  })
  await requireFullPage(hasura.endpoint, first)
  await requireFullPage(hasura.endpoint, last)
  return compareServers({
    name: `the page after ${formatCount(rowsBefore)} rows ÷ the first page`,
    target: TARGET,
    ours: side(last),
    baseline: side(first),
    rounds: ROUNDS,
    connections: CONNECTIONS,
  })
}

async function requireFullPage(endpoint: string, call: Call): Promise<void> {
  const answer = await callOnce(endpoint, call)
  const rows = answer.text.split('nullifier_hash').length
  if (rows !== 501) throw new Error(`A page has ${rows - 1} rows: ${answer.text.slice(0, 300)}`)
}
