import type { GraphQLSchema } from 'graphql'
import { type Attack, type Fault, faultInAnswer } from './attack.ts'
import { sendAttack } from './client.ts'
import {
  type Document,
  growDocument,
  printDocument,
  type Random,
  smallDocuments,
} from './costly-documents.ts'

type Search = {
  url: string
  schema: GraphQLSchema
  authorization: string
  /** How many documents are sent. */
  count: number
  seed: number
  secrets: readonly string[]
  /** How much memory the engine has now. */
  engineBytes: () => number
}

/** What the search has found: of the slowest document and of the one after which the engine had grown the most. */
export type Found = {
  requests: number
  slowestMs: number
  slowest: string
  largestBytes: number
  largest: string
  faults: Fault[]
}

type Cost = { ms: number; bytes: number }

/** The documents so far from which the next ones are made: the slowest, and those that took the most memory. */
const SLOWEST = 20
const LARGEST = 10

/** No single document may take more of the engine's memory. */
const MAX_BYTES = 300_000_000

/** A caller's statement ends after two seconds, and so does the wait for its turn; the rest is reading and planning. */
const MAX_MS = 6_000

/**
 * Searches for documents that are small and expensive: sends them one by one, keeps those that took the longest and those
 * after which the engine had grown, and makes the next ones by letting these ask for more.
 */
export async function searchCostlyDocuments(search: Search): Promise<Found> {
  const random = randomNumbers(search.seed)
  let kept: Kept[] = []
  const found: Found = {
    requests: 0,
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

type Kept = Cost & { document: Document }

/** Those that are worth making more of, in turns: the slowest, the largest, the next slowest, and so on. */
function keepCostliest(kept: readonly Kept[]): Kept[] {
  const slowest = kept.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  const largest = kept.toSorted((a, b) => b.bytes - a.bytes).slice(0, LARGEST)
  return [...new Set(slowest.flatMap((slow, i) => [slow, ...largest.slice(i, i + 1)]))]
}

/** @returns nothing for a refusal, which cannot be made more expensive */
async function measureDocument(document: Document, search: Search, found: Found): Promise<Cost> {
  const { url, authorization, secrets, engineBytes } = search
  const query = printDocument(document)
  const attack: Attack = {
    campaign: 'costly documents',
    method: 'POST',
    path: '/v1/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }
  const before = engineBytes()
  const answer = await sendAttack(url, attack)
  const bytes = engineBytes() - before
  found.requests += 1
  const isError = answer instanceof Error
  const ms = isError ? 0 : answer.ms
  const what = faultInAnswer(answer, secrets) ?? excess({ ms, bytes })
  if (what) found.faults.push({ attack, what, answer: isError ? '' : answer.text })
  if (isError || answer.text.includes('"validation-failed"')) return { ms: 0, bytes: 0 }
  if (ms > found.slowestMs) Object.assign(found, { slowestMs: ms, slowest: query })
  if (bytes > found.largestBytes) Object.assign(found, { largestBytes: bytes, largest: query })
  return { ms, bytes }
}

function excess({ ms, bytes }: Cost): string | null {
  if (ms > MAX_MS) return `${Math.round(ms)} ms`
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
