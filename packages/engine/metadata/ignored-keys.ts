import type { z } from 'zod'
import { findNearestName } from '../../../lib/runtime/nearest-name.ts'
import { isList, isRecord } from '../json/record.ts'
import {
  DeletePermission,
  InsertPermission,
  SelectPermission,
  UpdatePermission,
} from './permissions.ts'

/** The keys from the root of a document to a value. */
export type DocumentPath = readonly PropertyKey[]

type Issues = readonly z.core.$ZodIssue[]
type Settings = z.core.ParseContext<z.core.$ZodIssue>

/**
 * Parses metadata. Like Hasura, ignores unknown keys, with one exception: a key of a permission that is one typing
 * error from a known
 * key is a fault, because a misspelt filter would open the table.
 *
 * @returns the result for the metadata without the ignored keys, and the paths of those keys
 */
export function parseIgnoringKeys<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  settings?: Settings,
): { parsed: z.ZodSafeParseResult<z.output<Schema>>; ignored: readonly DocumentPath[] } {
  const ignored: DocumentPath[] = []
  let rest = value
  for (;;) {
    const parsed = schema.safeParse(rest, settings)
    const found = parsed.success ? [] : unreadKeys(parsed.error.issues)
    if (found.length === 0) return { parsed, ignored }
    ignored.push(...found)
    rest = found.reduce(withoutKey, rest)
  }
}

/** Returns the keys that can be ignored. Some only appear after others have been removed. */
function unreadKeys(issues: Issues): DocumentPath[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'invalid_union') return unreadInUnion(issue)
    if (issue.code !== 'unrecognized_keys') return []
    const isMisspelt = (key: string) => issue.path.at(-1) === 'permission' && isNearKnown(key)
    return issue.keys.filter((key) => !isMisspelt(key)).map((key) => [...issue.path, key])
  })
}

/** Returns the ignorable keys of the first alternative without other issues, if no other alternative knows them. */
function unreadInUnion({ path, errors }: z.core.$ZodIssueInvalidUnion): DocumentPath[] {
  const alternatives = errors.map((issues) => ({ issues, unread: unreadKeys(issues) }))
  const fitting = alternatives.find(
    ({ issues }) =>
      issues.length > 0 && issues.every((issue) => unreadKeys([issue]).length === keyCount(issue)),
  )
  const isUnreadIn = ({ issues, unread }: (typeof alternatives)[number], key: DocumentPath) =>
    unread.some((other) => other.join() === key.join()) ||
    issues.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0)
  const unread = fitting?.unread.filter((key) => alternatives.every((one) => isUnreadIn(one, key)))
  return (unread ?? []).map((key) => [...path, ...key])
}

/** Returns how many unknown keys an issue is about; NaN for any other issue. */
function keyCount(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : Number.NaN
}

const KNOWN = [SelectPermission, InsertPermission, UpdatePermission, DeletePermission].flatMap(
  ({ shape }) => Object.keys(shape),
)

function isNearKnown(key: string): boolean {
  return findNearestName(key, KNOWN)?.distance === 1
}

/** Copies a value without the member at the path. */
function withoutKey(value: unknown, [step, ...further]: DocumentPath): unknown {
  if (isList(value)) return value.map((item, i) => (i === step ? withoutKey(item, further) : item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).flatMap(([key, member]) => {
    if (key !== step) return [[key, member] as const]
    return further.length === 0 ? [] : [[key, withoutKey(member, further)] as const]
  })
  return Object.fromEntries(entries)
}
