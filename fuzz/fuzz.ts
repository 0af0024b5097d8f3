import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { children } from '../platform/children.ts'
import { exitOnSignals } from '../platform/exit-on-signals.ts'
import { Secrets } from '../platform/secrets.ts'
import { startThrowaway, type Throwaway } from '../platform/throwaway.ts'
import { type Answer, type Attack, type Fault, faultOf } from './attack.ts'
import { send, sendRaw } from './client.ts'
import { endpointAttacks, OpenApi } from './endpoints.ts'
import { graphqlAttacks } from './graphql.ts'
import { rawAttacks } from './raw.ts'
import { signInDescription } from './sign-in-description.ts'

/** `npm run test:fuzz [-- --requests 50000 --seed 1]`: a platform of its own, attacked in every way known here. */
const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

/** Requests at a time. */
const CONCURRENCY = 24

/** How much a process may have grown by the end; it holds a few times the requests under way. */
const MAX_GROWTH_BYTES = 400_000_000

type Result = {
  campaign: string
  requests: number
  /** How often each status was answered. */
  statuses: Map<number, number>
  slowestMs: number
}

exitOnSignals()
const platform = await startThrowaway()
try {
  process.exitCode = (await run(platform)) ? 0 : 1
} finally {
  await platform.stop()
}

async function run({ facts, folder }: Throwaway): Promise<boolean> {
  const seed = Number(options.seed)
  console.info(`\nSeed ${seed}: the same requests come with --seed ${seed}\n`)
  const own = Secrets.parse(JSON.parse(readFileSync(`${folder}/secrets.json`, 'utf8')))
  const secrets = Object.values(own)
  const userToken = await signUp(facts.baseUrl)
  const known = {
    app_id: [
      'app_staging_00000000000000000000000000000001',
      'app_b5bf70a63e4ecd0be5f1b754b6675728',
    ],
    client_id: ['app_staging_00000000000000000000000000000001'],
    action: ['vote', ''],
    action_id: ['wid_staging_0fa2dbde7735834e560fb5ad13146f0c'],
    verification_level: ['orb', 'device'],
    scope: ['openid', 'openid email profile'],
    grant_type: ['authorization_code'],
  }
  const credentials = [
    `Bearer ${facts.apiKey}`,
    `Bearer ${userToken}`,
    `Bearer ${facts.apiKey}x`,
    `Bearer ${own.internalSecret}`,
    'Basic YTpi',
    'Bearer ',
  ]
  const openApi = OpenApi.parse(await (await fetch(`${facts.baseUrl}/openapi.json`)).json())
  const campaigns: { name: string; share: number; url: string; attacks: fc.Arbitrary<Attack> }[] = [
    {
      name: 'developer API',
      share: 0.5,
      url: facts.baseUrl,
      attacks: endpointAttacks({
        campaign: 'developer API',
        document: openApi,
        known,
        credentials,
      }),
    },
    {
      name: 'sign-in server',
      share: 0.2,
      url: facts.authUrl,
      attacks: endpointAttacks({
        campaign: 'sign-in server',
        document: signInDescription,
        known,
        credentials,
      }),
    },
  ]
  for (const [name, token] of [
    ['an API key', facts.apiKey],
    ['a user', userToken],
  ] as const)
    campaigns.push({
      name: `GraphQL as ${name}`,
      share: 0.15,
      url: facts.baseUrl,
      attacks: await graphqlAttacks(facts.baseUrl, { name, authorization: `Bearer ${token}` }),
    })
  const faults: Fault[] = []
  const results: Result[] = []
  const before = sizes()
  for (const { name, share, url, attacks } of campaigns) {
    const count = Math.ceil(Number(options.requests) * share)
    results.push(await attackAll(url, { name, count, seed, attacks, secrets, faults }))
  }
  results.push(await attackRaw(facts, { name: 'raw sockets', seed, secrets, faults }))
  const growth = new Map(
    [...sizes()].map(([entry, bytes]) => [entry, bytes - (before.get(entry) ?? 0)]),
  )
  report(results, faults, growth)
  return faults.length === 0 && [...growth.values()].every((bytes) => bytes < MAX_GROWTH_BYTES)
}

function sizes(): Map<string, number> {
  return new Map(children().map(({ entry, residentBytes }) => [entry, residentBytes]))
}

type Campaign = {
  name: string
  count: number
  seed: number
  attacks: fc.Arbitrary<Attack>
  secrets: readonly string[]
  faults: Fault[]
}

/** Sends a stream of attacks, several at a time. */
async function attackAll(url: string, campaign: Campaign): Promise<Result> {
  const { name, secrets, faults } = campaign
  const result: Result = { campaign: name, requests: 0, statuses: new Map(), slowestMs: 0 }
  const stream = attacksOf(campaign)
  const work = async () => {
    for (const attack of stream) {
      const answer = await send(url, attack)
      count(result, answer)
      const what = faultOf(answer, secrets)
      if (what) faults.push({ attack, what, answer: answer instanceof Error ? '' : answer.text })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return result
}

/** Made as they are needed: all of them at once would be gigabytes. */
function* attacksOf({ attacks, seed, count }: Campaign): Generator<Attack> {
  const AT_ONCE = 100
  for (let made = 0; made < count; made += AT_ONCE)
    yield* fc.sample(attacks, { seed: seed + made, numRuns: Math.min(AT_ONCE, count - made) })
}

/** Each on a connection of its own; the platform must give no more answers than expected, and go on. */
async function attackRaw(
  { baseUrl, authUrl }: Throwaway['facts'],
  campaign: Omit<Campaign, 'count' | 'attacks'>,
) {
  const result: Result = { campaign: campaign.name, requests: 0, statuses: new Map(), slowestMs: 0 }
  const targets = [
    { url: baseUrl, path: '/v1/graphql' },
    { url: baseUrl, path: '/api/v1/login' },
    { url: authUrl, path: '/token' },
  ]
  for (const { url, path } of targets)
    for (const { name, bytes, atMost } of rawAttacks(path)) {
      const answers = await sendRaw(url, bytes)
      for (const answer of answers) count(result, answer)
      const what =
        answers.map((answer) => faultOf(answer, campaign.secrets)).find(Boolean) ??
        (answers.length > atMost ? `${answers.length} answers` : null)
      const attack = { campaign: campaign.name, method: 'POST', path, headers: {}, body: name }
      if (what)
        campaign.faults.push({ attack, what, answer: answers.map(({ text }) => text).join() })
      if (!(await fetch(`${url}/healthz`)).ok) throw new Error(`${url} is not well after ${name}`)
    }
  return result
}

function count(result: Result, answer: Answer | Error) {
  result.requests += 1
  const status = answer instanceof Error ? 0 : answer.status
  result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1)
  if (!(answer instanceof Error)) result.slowestMs = Math.max(result.slowestMs, answer.ms)
}

async function signUp(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/api/v1/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: 'eve@example.com',
      password: 'difference',
      name: 'Eve',
      team_name: 'E',
    }),
  })
  return String(Object(await response.json()).token)
}

function report(
  results: readonly Result[],
  faults: readonly Fault[],
  growth: ReadonlyMap<string, number>,
) {
  for (const { campaign, requests, statuses, slowestMs } of results) {
    const list = [...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, n]) => `${status || 'none'}: ${n}`)
    console.info(
      `${campaign.padEnd(24)} ${String(requests).padStart(6)}  slowest ${Math.round(slowestMs)} ms  ${list.join('  ')}`,
    )
  }
  for (const [entry, bytes] of growth)
    console.info(`${entry.padEnd(24)} grew by ${Math.round(bytes / 1e6)} MB`)
  console.info(
    `\n${results.reduce((sum, { requests }) => sum + requests, 0)} requests, ${faults.length} faults`,
  )
  const kinds = Map.groupBy(
    faults,
    ({ what, attack }) =>
      `${attack.campaign}: ${what} ${attack.method} ${attack.path.split('?')[0]?.slice(0, 60)}`,
  )
  for (const [kind, [first, ...others]] of [...kinds].slice(0, 30)) {
    console.info(`\n${kind} (${others.length + 1} times), first:`)
    console.info(JSON.stringify(first).slice(0, 1_500))
  }
}
