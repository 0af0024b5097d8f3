import { z } from 'zod'
import { type EntryFault, entryError } from './entry-errors.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'

/** Copies the entries of a list. */
export function entriesOf(owner: Node, list: string): Node[] {
  return parseArgs(Entries, owner[list] ?? [], '$')
}

const Entries = z.array(z.record(z.string(), z.unknown()))

/** Replaces the entries of a list by the result of `change`. Removes an empty list. */
export function editEntries({ owner, list }: Place, change: (entries: Node[]) => Node[]) {
  const entries = change(entriesOf(owner, list))
  if (entries.length > 0 || KEPT_WHEN_EMPTY.has(list)) owner[list] = entries
  else delete owner[list]
}

/** Lists that stay in the document if they are empty. */
const KEPT_WHEN_EMPTY: ReadonlySet<string> = new Set(['sources', 'tables', 'queries'])

/** Finds the entry with this key. Changes to it change the document. @throws `entryError` for `fault` if there is none */
export function findEntry(place: Place, key: string, fault: EntryFault = 'missing'): Node {
  const entries = entriesOf(place.owner, place.list)
  const entry = entries.find((candidate) => place.keyOf(candidate) === key)
  // `entriesOf` copies the entries, so the document must contain the copy that the caller changes.
  place.owner[place.list] = entries
  if (entry) return entry
  throw entryError(fault, place, key)
}

/** Reports whether there is an entry with this key. */
export function hasEntry({ owner, list, keyOf }: Place, key: string): boolean {
  return entriesOf(owner, list).some((entry) => keyOf(entry) === key)
}
