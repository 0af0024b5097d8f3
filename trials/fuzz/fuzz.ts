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
import { type Attack, type Fault, findFault, type RawResponse } from './attack.ts'
import { type Authorization, type Campaign, createCampaigns } from './campaigns.ts'
import { sendAttack, sendRawBytes } from './client.ts'
import { readSchema } from './graphql.ts'
import { createRawAttacks } from './raw-requests.ts'
import { searchCostlyDocuments } from './search-costly.ts'

/** `npm run test:fuzz [-- --requests 50000 --seed 1]`: starts a platform and attacks it with every campaign. */
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

/** The number of concurrent requests. */
const CONCURRENCY = 24

/** The largest allowed growth of a process's resident memory. */
const MAX_GROWTH_BYTES = 400_000_000

type Result = {
  campaign: string
  requests: number
  /** The number of responses by status. */
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
  console.info(`\nSeed ${seed}; repeat these requests with --seed ${seed}\n`)
  const secretsFile = Secrets.parse(JSON.parse(readFileSync(`${folder}/secrets.json`, 'utf8')))
  const secrets = Object.values(secretsFile)
  const faults: Fault[] = []
  const campaigns = await createCampaigns(facts, secretsFile.internalSecret)
  const initialSizes = readResidentSizes()
  const results: Result[] = []
  for (const campaign of campaigns) {
    const count = Math.ceil(Number(options.requests) * campaign.share)
    results.push(await attackAll(campaign, { count, seed, secrets, faults }))
  }
  results.push(await attackRaw(facts, { secrets, faults }))
  results.push(await attackCostly(facts, { seed, secrets, faults }))
  const growth = new Map(
    [...readResidentSizes()].map(([entry, bytes]) => [
      entry,
      bytes - (initialSizes.get(entry) ?? 0),
    ]),
  )
  reportResults(results, faults, growth)
  return faults.length === 0 && [...growth.values()].every((bytes) => bytes < MAX_GROWTH_BYTES)
}

function readResidentSizes(): Map<string, number> {
  return new Map(childProcesses().map(({ entry, residentBytes }) => [entry, residentBytes]))
}

/** The secrets that no response may contain, and the list to which faults are added. */
type FaultCheck = { secrets: readonly string[]; faults: Fault[] }

/** The number of attacks and their seed. The same seed creates the same attacks. */
type Selection = { count: number; seed: number }

/** Sends a campaign's attacks, with `CONCURRENCY` at a time. */
async function attackAll(
  { name, url, attacks, checkResponse, signInAgain }: Campaign,
  { secrets, faults, ...selection }: Selection & FaultCheck,
) {
  const result: Result = { campaign: name, requests: 0, statuses: new Map(), slowestMs: 0 }
  const stream = drawAttacks(attacks, selection)
  let session: Partial<Authorization> = {}
  const sendAttacks = async () => {
    for (const candidate of stream) {
      const attack = { ...candidate, headers: { ...candidate.headers, ...session } }
      const answer = await sendAttack(url, attack)
      countAnswer(result, answer)
      if (signInAgain && !(answer instanceof Error) && answer.status === 401)
        session = await signInAgain()
      const description =
        findFault(answer, secrets) ??
        (answer instanceof Error ? null : (checkResponse?.(attack, answer) ?? null))
      if (description)
        faults.push({ attack, description, answer: answer instanceof Error ? '' : answer.text })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, sendAttacks))
  return result
}

/** Creates attacks in batches, since all attacks at once would take gigabytes. */
function* drawAttacks(attacks: Campaign['attacks'], { seed, count }: Selection): Generator<Attack> {
  const BATCH_SIZE = 100
  for (let first = 0; first < count; first += BATCH_SIZE)
    yield* fc.sample(attacks, { seed: seed + first, numRuns: Math.min(BATCH_SIZE, count - first) })
}

/** Sends each raw attack on a new connection. The server must not send more responses than expected, and must stay healthy. */
async function attackRaw(
  { baseUrl, authUrl }: ThrowawayPlatform['facts'],
  { secrets, faults }: FaultCheck,
) {
  const campaign = 'raw sockets'
  const result: Result = { campaign, requests: 0, statuses: new Map(), slowestMs: 0 }
  const targets = [
    { url: baseUrl, path: '/v1/graphql' },
    { url: baseUrl, path: '/api/v1/login' },
    { url: authUrl, path: '/token' },
  ]
  for (const { url, path } of targets)
    for (const { name, bytes, maxResponses } of createRawAttacks(path)) {
      const answers = await sendRawBytes(url, bytes)
      for (const answer of answers) countAnswer(result, answer)
      const description =
        answers.map((answer) => findFault(answer, secrets)).find(Boolean) ??
        (answers.length > maxResponses ? `${answers.length} answers` : null)
      const attack = { campaign, method: 'POST', path, headers: {}, body: name }
      if (description)
        faults.push({ attack, description, answer: answers.map(({ text }) => text).join() })
      if (!(await fetch(`${url}/healthz`)).ok)
        throw new Error(`${url} is unhealthy after the attack "${name}"`)
    }
  return result
}

/** Searches for documents that are more and more expensive, with the demo team's API key. */
async function attackCostly(
  { baseUrl, apiKey, hasura }: ThrowawayPlatform['facts'],
  { secrets, faults, seed }: FaultCheck & Pick<Selection, 'seed'>,
): Promise<Result> {
  const authorization = `Bearer ${apiKey}`
  const schema = await readSchema(baseUrl, authorization)
  const count = Math.ceil(Number(options.requests) / 50)
  const search = await searchCostlyDocuments({
    ...{ url: baseUrl, engineUrl: hasura.endpoint },
    ...{ schema, authorization, count, seed, secrets, readEngineBytes },
  })
  const { requests, slowestMs, blockedMs } = search
  faults.push(...search.faults)
  console.info(`the slowest document: ${search.slowest.slice(0, 500)}`)
  console.info(
    `the largest, ${Math.round(search.largestBytes / 1e6)} MB: ${search.largest.slice(0, 500)}`,
  )
  console.info(
    `the document that blocked longest, ${Math.round(blockedMs)} ms: ${search.blocking.slice(0, 500)}`,
  )
  return { campaign: 'costly documents', requests, statuses: new Map(), slowestMs }
}

/** Reads the engine's resident memory; 0 for an external Hasura. */
function readEngineBytes(): number {
  const engine = childProcesses().find(({ entry }) => entry.includes('engine'))
  return engine?.residentBytes ?? 0
}

function countAnswer(result: Result, answer: RawResponse | Error) {
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
    ({ description, attack }) =>
      `${attack.campaign}: ${description} ${attack.method} ${attack.path.split('?')[0]?.slice(0, 60)}`,
  )
  for (const [kind, [first, ...otherFaults]] of [...kinds].slice(0, 30)) {
    console.info(`\n${kind} (${otherFaults.length + 1} times), first:`)
    console.info(JSON.stringify(first).slice(0, 1_500))
  }
}
