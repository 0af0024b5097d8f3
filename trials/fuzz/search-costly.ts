import type { GraphQLSchema } from 'graphql'
import { type Attack, type Fault, faultInAnswer } from './attack.ts'
import { sendAttack } from './client.ts'
import {
  type GraphqlDocument,
  growDocument,
  printDocument,
  type Random,
  smallDocuments,
} from './costly-documents.ts'

type Search = {
  url: string
  /** The engine itself, which must answer others while it works on a document. */
  engineUrl: string
  schema: GraphQLSchema
  authorization: string
  /** How many documents are sent. */
  count: number
  seed: number
  secrets: readonly string[]
  /** How much memory the engine has now. */
  engineBytes: () => number
}

/** The worst documents of the search, and what is wrong with any of them. */
export type Found = {
  requests: number
  /** The longest that the engine answered no other request, and the document that it worked on. */
  blockedMs: number
  blocking: string
  slowestMs: number
  slowest: string
  largestBytes: number
  largest: string
  faults: Fault[]
}

type Cost = { ms: number; bytes: number; blockedMs: number }

/** How many documents of each kind the next ones are made from. */
const SLOWEST = 20
const LARGEST = 10
const BLOCKING = 10

/** No single document may take more of the engine's memory. */
const MAX_BYTES = 300_000_000

/** A caller's statement ends after two seconds, and so does the wait for its turn; the rest is reading and planning. */
const MAX_MS = 6_000

/** The engine works on a document for 20 ms at a time; the rest is what a busy machine adds. */
const MAX_BLOCKED_MS = 250

/**
 * Searches for documents that are small and expensive: sends them one by one, keeps those that took the longest and those
 * after which the engine had grown, and makes the next ones by letting these ask for more.
 */
export async function searchCostlyDocuments(search: Search): Promise<Found> {
  const random = randomNumbers(search.seed)
  let kept: Kept[] = []
  const found: Found = {
    requests: 0,
    blockedMs: 0,
    blocking: '',
    slowestMs: 0,
    slowest: '',
    largestBytes: 0,
    largest: '',
    faults: [],
  }
  const first = smallDocuments(search.schema)
  for (let sent = 0; sent < search.count; sent++) {
    const parent = kept[Math.floor(random() ** 2 * kept.length)]?.document
    const document = first[sent] ?? growDocument(parent ?? [], random)
    kept = keepCostliest([
      ...kept,
      { document, ...(await measureDocument(document, search, found)) },
    ])
  }
  return found
}

type Kept = Cost & { document: GraphqlDocument }

/** The worst documents of each kind in turns: the slowest, the largest, the most blocking, the next slowest, and so on. */
function keepCostliest(kept: readonly Kept[]): Kept[] {
  const slowest = kept.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  const largest = kept.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST)
  const blocking = kept.toSorted((a, b) => b.blockedMs - a.blockedMs).slice(0, BLOCKING)
  const inTurns = slowest.flatMap((slow, i) => [
    slow,
    ...largest.slice(i, i + 1),
    ...blocking.slice(i, i + 1),
  ])
  return [...new Set(inTurns)]
}

/** @returns zeros for a document that is too large, which cannot be made more expensive */
async function measureDocument(
  document: GraphqlDocument,
  search: Search,
  found: Found,
): Promise<Cost> {
  const { url, engineUrl, authorization, secrets, engineBytes } = search
  const query = printDocument(document)
  const attack: Attack = {
    campaign: 'costly documents',
    method: 'POST',
    path: '/v1/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }
  const before = engineBytes()
  const sent = sendAttack(url, attack)
  const [answer, blockedMs] = await Promise.all([sent, longestWait(engineUrl, sent)])
  const bytes = engineBytes() - before
  found.requests += 1
  const isError = answer instanceof Error
  const cost = { ms: isError ? 0 : answer.ms, bytes, blockedMs }
  const what = faultInAnswer(answer, secrets) ?? excess(cost)
  if (what) found.faults.push({ attack, what, answer: isError ? '' : answer.text })
  if (isError || answer.text.includes('"validation-failed"')) return NOTHING
  if (cost.ms > found.slowestMs) Object.assign(found, { slowestMs: cost.ms, slowest: query })
  if (bytes > found.largestBytes) Object.assign(found, { largestBytes: bytes, largest: query })
  if (blockedMs > found.blockedMs) Object.assign(found, { blockedMs, blocking: query })
  return cost
}

const NOTHING: Cost = { ms: 0, bytes: 0, blockedMs: 0 }

/** Asks the engine for its version, which needs no database, until `sent` is answered. Returns the longest wait in ms. */
async function longestWait(engineUrl: string, sent: Promise<unknown>): Promise<number> {
  let longest = 0
  const ask = async () => {
    const began = performance.now()
    await (await fetch(`${engineUrl}/v1/version`)).text()
    longest = Math.max(longest, performance.now() - began)
  }
  const answered = sent.then(() => true)
  while (!(await Promise.race([answered, ask().then(() => false)])));
  return longest
}

function excess({ ms, bytes, blockedMs }: Cost): string | null {
  if (ms > MAX_MS) return `${Math.round(ms)} ms`
  if (blockedMs > MAX_BLOCKED_MS)
    return `the engine answered no other request for ${Math.round(blockedMs)} ms`
  return bytes > MAX_BYTES ? `the engine grew by ${Math.round(bytes / 1e6)} MB` : null
}

/** Mulberry32: the same seed gives the same numbers. */
function randomNumbers(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
