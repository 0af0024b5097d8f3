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
}

/** What the search has found. */
export type Found = { requests: number; slowestMs: number; slowest: string; faults: Fault[] }

/** The slowest documents so far, from which the next ones are made. */
const POPULATION = 30

/** A caller's statement ends after two seconds, and so does the wait for its turn; the rest is reading and planning. */
const MAX_MS = 6_000

/**
 * Searches for documents that are small and expensive: sends them one by one, keeps those that took the longest, and makes
 * the next ones by letting these ask for more.
 */
export async function searchCostlyDocuments(search: Search): Promise<Found> {
  const random = randomNumbers(search.seed)
  let kept: { document: Document; ms: number }[] = []
  const found: Found = { requests: 0, slowestMs: 0, slowest: '', faults: [] }
  const first = smallDocuments(search.schema)
  for (let sent = 0; sent < search.count; sent++) {
    const parent = kept[Math.floor(random() ** 2 * kept.length)]?.document
    const document = first[sent] ?? growDocument(parent ?? [], random)
    const ms = await measureDocument(document, search, found)
    kept = [...kept, { document, ms }].toSorted((a, b) => b.ms - a.ms).slice(0, POPULATION)
  }
  return found
}

/** @returns how long the answer took; nothing for a refusal, which cannot be made more expensive */
async function measureDocument(
  document: Document,
  { url, authorization, secrets }: Search,
  found: Found,
): Promise<number> {
  const query = printDocument(document)
  const attack: Attack = {
    campaign: 'costly documents',
    method: 'POST',
    path: '/v1/graphql',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  }
  const answer = await sendAttack(url, attack)
  found.requests += 1
  const isError = answer instanceof Error
  const slow = !isError && answer.ms > MAX_MS ? `${Math.round(answer.ms)} ms` : null
  const what = faultInAnswer(answer, secrets) ?? slow
  if (what) found.faults.push({ attack, what, answer: isError ? '' : answer.text })
  if (isError) return 0
  if (answer.ms > found.slowestMs) Object.assign(found, { slowestMs: answer.ms, slowest: query })
  return answer.text.includes('"validation-failed"') ? 0 : answer.ms
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
