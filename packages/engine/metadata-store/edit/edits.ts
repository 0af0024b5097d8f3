import type { z } from 'zod'
import { ownValue } from '../../json/own-value.ts'
import { ENTRIES } from '../../metadata/metadata.ts'
import { editEntries, findEntry } from './entries.ts'
import { entryError } from './entry-errors.ts'
import type { DocumentEdit } from './metadata-document.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'
import { Args, type Locate } from './places.ts'

/** Adds a new entry. If the arguments have `replace: true`, replaces an existing entry instead. */
export function addEntry(locate: Locate, entryOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const record = parseArgs(Args, args)
    const place = locate(document, args)
    const entry = entryOf(record)
    checkEntry(place, entry)
    const key = place.keyOf(entry)
    const replace = record.replace === true
    editEntries(place, (entries) => {
      const hasKey = (candidate: Node) => place.keyOf(candidate) === key
      const exists = entries.some(hasKey)
      if (exists !== replace) throw entryError(exists ? 'exists' : 'missing', place, key)
      return exists ? entries.map((other) => (hasKey(other) ? entry : other)) : [...entries, entry]
    })
  }
}

/** Adds an entry, or replaces the entry with the same key. */
export function putEntry(locate: Locate, entryOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    const entry = entryOf(parseArgs(Args, args))
    checkEntry(place, entry)
    const key = place.keyOf(entry)
    editEntries(place, (entries) => [
      ...entries.filter((other) => place.keyOf(other) !== key),
      entry,
    ])
  }
}

/** Replaces some members of an existing entry. */
export function updateEntry(locate: Locate, membersOf: (args: Node) => Node): DocumentEdit {
  return (document, args) => {
    const members = membersOf(parseArgs(Args, args))
    const place = locate(document, args)
    checkEntry(place, members)
    Object.assign(findEntry(place, place.keyOf(members)), members)
  }
}

/** Removes an existing entry. */
export function dropEntry(locate: Locate): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    findEntry(place, place.keyOf(parseArgs(Args, args)), 'gone')
    dropEntryIfExists(locate)(document, args)
  }
}

/** Removes an entry, if it exists. */
export function dropEntryIfExists(locate: Locate): DocumentEdit {
  return (document, args) => {
    const place = locate(document, args)
    const key = place.keyOf(parseArgs(Args, args))
    editEntries(place, (entries) => entries.filter((entry) => place.keyOf(entry) !== key))
  }
}

/** Replaces a top-level part of the document, such as `custom_types`, by the arguments. */
export function setPart(part: string, schema: z.ZodType = Args): DocumentEdit {
  return (document, args) => {
    parseArgs(schema, args)
    document[part] = parseArgs(Args, args)
  }
}

/** Removes a top-level part of the document. */
export function removePart(part: string): DocumentEdit {
  return (document) => {
    delete document[part]
  }
}

/** Combines edits that check or change the document, in order, into one edit. */
export function inSequence(...edits: readonly DocumentEdit[]): DocumentEdit {
  return (document, args) => {
    for (const edit of edits) edit(document, args)
  }
}

/** Returns a function that creates an entry from the arguments with these names. Omits nulls. */
export function pickArgs(...fields: readonly string[]): (args: Node) => Node {
  return (args) =>
    Object.fromEntries(
      fields.flatMap((field) => (args[field] == null ? [] : [[field, args[field]]])),
    )
}

/** Returns a function that creates an entry from all arguments except those with these names. */
export function omitArgs(...fields: readonly string[]): (args: Node) => Node {
  return (args) =>
    Object.fromEntries(Object.entries(args).filter(([field]) => !fields.includes(field)))
}

function checkEntry({ list }: Place, entry: Node) {
  const schema = ownValue(ENTRIES, list)
  if (schema) parseArgs(schema, entry)
}
