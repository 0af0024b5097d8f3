import type { GraphQLSchema } from 'graphql'
import { type Attack, type Fault, findFault } from './attack.ts'
import { sendAttack } from './client.ts'
import {
  createSmallDocuments,
  type GraphqlDocument,
  growDocument,
  printDocument,
  type Random,
} from './costly-documents.ts'

type Search = {
  url: string
  /** The engine's address. The engine must answer other requests while it works on a document. */
  engineUrl: string
  schema: GraphQLSchema
  authorization: string
  /** The number of documents to send. */
  count: number
  seed: number
  secrets: readonly string[]
  /** Reads the engine's resident memory. */
  readEngineBytes: () => number
}

/** The costliest documents of the search, and the faults of all documents. */
export type SearchResult = {
  requests: number
  /** The longest time in which the engine answered no other request, and the document that caused it. */
  blockedMs: number
  blocking: string
  slowestMs: number
  slowest: string
  largestBytes: number
  largest: string
  faults: Fault[]
}

type Cost = { ms: number; bytes: number; blockedMs: number }

/** The numbers of documents of each kind that the search keeps and grows. */
const SLOWEST_COUNT = 20
const LARGEST_COUNT = 10
const BLOCKING_COUNT = 10

/** The largest amount of memory that a document may take. */
const MAX_BYTES = 300_000_000

/** A statement may take two seconds, and the wait for its turn two seconds more. The rest is for parsing and planning. */
const MAX_MS = 6_000

/** The engine works on a document in slices of some milliseconds. The limit has a margin for a busy machine. */
const MAX_BLOCKED_MS = 250

/**
 * Searches for expensive documents. Sends one document at a time and keeps the slowest, those that take the most memory, and those
 * that block the engine longest. Grows the next documents from the kept ones.
 */
export async function searchCostlyDocuments(search: Search): Promise<SearchResult> {
  const random = createRandom(search.seed)
  let costliest: MeasuredDocument[] = []
  const result: SearchResult = {
    requests: 0,
    blockedMs: 0,
    blocking: '',
    slowestMs: 0,
    slowest: '',
    largestBytes: 0,
    largest: '',
    faults: [],
  }
  const firstDocuments = createSmallDocuments(search.schema)
  for (let response = 0; response < search.count; response++) {
    const parent = costliest[Math.floor(random() ** 2 * costliest.length)]?.document
    const document = firstDocuments[response] ?? growDocument(parent ?? [], random)
    costliest = keepCostliest([
      ...costliest,
      { document, ...(await measureDocument(document, search, result)) },
    ])
  }
  return result
}

type MeasuredDocument = Cost & { document: GraphqlDocument }

/** Lists the costliest documents in turns: the slowest, the largest, the most blocking, the next slowest, and so on. */
function keepCostliest(costliest: readonly MeasuredDocument[]): MeasuredDocument[] {
  const slowest = costliest.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_COUNT)
  const largest = costliest.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST_COUNT)
  const blocking = costliest.toSorted((a, b) => b.blockedMs - a.blockedMs).slice(0, BLOCKING_COUNT)
  const inTurns = slowest.flatMap((slow, i) => [
    slow,
    ...largest.slice(i, i + 1),
    ...blocking.slice(i, i + 1),
  ])
  return [...new Set(inTurns)]
}

/** Sends a document and measures its cost. Returns zeros if the engine rejects it, since growing it further is useless. */
async function measureDocument(
  document: GraphqlDocument,
  search: Search,
  result: SearchResult,
): Promise<Cost> {
  const { url, engineUrl, authorization, secrets, readEngineBytes } = search
  const query = printDocument(document)
  const attack: Attack = {
    campaign: 'costly documents',
    method: 'POST',
    path: '/v1/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }
  const initialBytes = readEngineBytes()
  const response = sendAttack(url, attack)
  const [answer, blockedMs] = await Promise.all([response, measureLongestWait(engineUrl, response)])
  const bytes = readEngineBytes() - initialBytes
  result.requests += 1
  const isError = answer instanceof Error
  const cost = { ms: isError ? 0 : answer.ms, bytes, blockedMs }
  const fault = findFault(answer, secrets) ?? findExcess(cost)
  if (fault) result.faults.push({ attack, description: fault, answer: isError ? '' : answer.text })
  if (isError || answer.text.includes('"validation-failed"')) return NO_COST
  if (cost.ms > result.slowestMs) Object.assign(result, { slowestMs: cost.ms, slowest: query })
  if (bytes > result.largestBytes) Object.assign(result, { largestBytes: bytes, largest: query })
  if (blockedMs > result.blockedMs) Object.assign(result, { blockedMs, blocking: query })
  return cost
}

const NO_COST: Cost = { ms: 0, bytes: 0, blockedMs: 0 }

/** Repeatedly requests the engine's version, which needs no database, until `response` settles. Returns the longest wait in ms. */
async function measureLongestWait(engineUrl: string, response: Promise<unknown>): Promise<number> {
  let longest = 0
  const requestVersion = async () => {
    const startTime = performance.now()
    await (await fetch(`${engineUrl}/v1/version`)).text()
    longest = Math.max(longest, performance.now() - startTime)
  }
  const end = response.then(() => true)
  while (!(await Promise.race([end, requestVersion().then(() => false)])));
  return longest
}

function findExcess({ ms, bytes, blockedMs }: Cost): string | null {
  if (ms > MAX_MS) return `${Math.round(ms)} ms`
  if (blockedMs > MAX_BLOCKED_MS)
    return `the engine answered no other request for ${Math.round(blockedMs)} ms`
  return bytes > MAX_BYTES ? `the engine grew by ${Math.round(bytes / 1e6)} MB` : null
}

/** Creates a Mulberry32 generator. The same seed gives the same numbers. */
function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
