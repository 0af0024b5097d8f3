import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { childProcesses } from '../../packages/platform/processes/child-processes.ts'
import { exitOnSignals } from '../../packages/platform/processes/exit-on-signals.ts'
import { Secrets } from '../../packages/platform/settings/secrets.ts'
import {
  startThrowawayPlatform,
  type ThrowawayPlatform,
} from '../../packages/platform/testing/throwaway.ts'
import { type Answer, type Attack, type Fault, faultInAnswer } from './attack.ts'
import { type Authorization, type Campaign, campaignsAgainst } from './campaigns.ts'
import { sendAttack, sendRawBytes } from './client.ts'
import { readSchemaOf } from './graphql.ts'
import { rawAttacks } from './raw.ts'
import { searchCostlyDocuments } from './search-costly.ts'

/** `npm run test:fuzz [-- --requests 50000 --seed 1]`: a platform of its own, attacked in every way known here. */
const { values: options } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.info('Usage: npm run test:fuzz [-- --requests 50000 --seed 1]')
  process.exit()
}

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
const platform = await startThrowawayPlatform()
try {
  process.exitCode = (await runCampaigns(platform)) ? 0 : 1
} finally {
  await platform.stop()
}

async function runCampaigns({ facts, folder }: ThrowawayPlatform): Promise<boolean> {
  const seed = Number(options.seed)
  console.info(`\nSeed ${seed}: the same requests come with --seed ${seed}\n`)
  const own = Secrets.parse(JSON.parse(readFileSync(`${folder}/secrets.json`, 'utf8')))
  const secrets = Object.values(own)
  const faults: Fault[] = []
  const campaigns = await campaignsAgainst(facts, own.internalSecret)
  const before = residentSizes()
  const results: Result[] = []
  for (const campaign of campaigns) {
    const count = Math.ceil(Number(options.requests) * campaign.share)
    results.push(await attackAll(campaign, { count, seed, secrets, faults }))
  }
  results.push(await attackRaw(facts, { secrets, faults }))
  results.push(await attackCostly(facts, { seed, secrets, faults }))
  const growth = new Map(
    [...residentSizes()].map(([entry, bytes]) => [entry, bytes - (before.get(entry) ?? 0)]),
  )
  reportResults(results, faults, growth)
  return faults.length === 0 && [...growth.values()].every((bytes) => bytes < MAX_GROWTH_BYTES)
}

function residentSizes(): Map<string, number> {
  return new Map(childProcesses().map(({ entry, residentBytes }) => [entry, residentBytes]))
}

/** What no answer may contain, and where to note those that do or are wrong in another way. */
type Watch = { secrets: readonly string[]; faults: Fault[] }

/** How many attacks to send, and which: the same seed makes the same ones. */
type Draw = { count: number; seed: number }

/** Sends a stream of attacks, several at a time. */
async function attackAll(
  { name, url, attacks, judge, signInAgain }: Campaign,
  { secrets, faults, ...draw }: Draw & Watch,
) {
  const result: Result = { campaign: name, requests: 0, statuses: new Map(), slowestMs: 0 }
  const stream = drawAttacks(attacks, draw)
  let session: Partial<Authorization> = {}
  const work = async () => {
    for (const drawn of stream) {
      const attack = { ...drawn, headers: { ...drawn.headers, ...session } }
      const answer = await sendAttack(url, attack)
      countAnswer(result, answer)
      if (signInAgain && !(answer instanceof Error) && answer.status === 401)
        session = await signInAgain()
      const what =
        faultInAnswer(answer, secrets) ??
        (answer instanceof Error ? null : (judge?.(attack, answer) ?? null))
      if (what) faults.push({ attack, what, answer: answer instanceof Error ? '' : answer.text })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return result
}

/** Made as they are needed: all of them at once would be gigabytes. */
function* drawAttacks(attacks: Campaign['attacks'], { seed, count }: Draw): Generator<Attack> {
  const AT_ONCE = 100
  for (let made = 0; made < count; made += AT_ONCE)
    yield* fc.sample(attacks, { seed: seed + made, numRuns: Math.min(AT_ONCE, count - made) })
}

/** Each on a connection of its own; the platform must give no more answers than expected, and go on. */
async function attackRaw(
  { baseUrl, authUrl }: ThrowawayPlatform['facts'],
  { secrets, faults }: Watch,
) {
  const campaign = 'raw sockets'
  const result: Result = { campaign, requests: 0, statuses: new Map(), slowestMs: 0 }
  const targets = [
    { url: baseUrl, path: '/v1/graphql' },
    { url: baseUrl, path: '/api/v1/login' },
    { url: authUrl, path: '/token' },
  ]
  for (const { url, path } of targets)
    for (const { name, bytes, atMost } of rawAttacks(path)) {
      const answers = await sendRawBytes(url, bytes)
      for (const answer of answers) countAnswer(result, answer)
      const what =
        answers.map((answer) => faultInAnswer(answer, secrets)).find(Boolean) ??
        (answers.length > atMost ? `${answers.length} answers` : null)
      const attack = { campaign, method: 'POST', path, headers: {}, body: name }
      if (what) faults.push({ attack, what, answer: answers.map(({ text }) => text).join() })
      if (!(await fetch(`${url}/healthz`)).ok) throw new Error(`${url} is not well after ${name}`)
    }
  return result
}

/** Documents that get more and more expensive, as a team that has many rows. */
async function attackCostly(
  { baseUrl, apiKey, hasura }: ThrowawayPlatform['facts'],
  { secrets, faults, seed }: Watch & Pick<Draw, 'seed'>,
): Promise<Result> {
  const authorization = `Bearer ${apiKey}`
  const schema = await readSchemaOf(baseUrl, authorization)
  const count = Math.ceil(Number(options.requests) / 50)
  const found = await searchCostlyDocuments({
    ...{ url: baseUrl, engineUrl: hasura.endpoint },
    ...{ schema, authorization, count, seed, secrets, engineBytes },
  })
  const { requests, slowestMs, blockedMs } = found
  faults.push(...found.faults)
  console.info(`the slowest document: ${found.slowest.slice(0, 500)}`)
  console.info(
    `the largest, ${Math.round(found.largestBytes / 1e6)} MB: ${found.largest.slice(0, 500)}`,
  )
  console.info(`blocks for ${Math.round(blockedMs)} ms: ${found.blocking.slice(0, 500)}`)
  return { campaign: 'costly documents', requests, statuses: new Map(), slowestMs }
}

/** How much memory the engine has now; nothing beside a Hasura that is elsewhere. */
function engineBytes(): number {
  const engine = childProcesses().find(({ entry }) => entry.includes('engine'))
  return engine?.residentBytes ?? 0
}

function countAnswer(result: Result, answer: Answer | Error) {
  result.requests += 1
  const status = answer instanceof Error ? 0 : answer.status
  result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1)
  if (!(answer instanceof Error)) result.slowestMs = Math.max(result.slowestMs, answer.ms)
}

function reportResults(
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
