import type { z } from 'zod'
import { findNearestName } from '../../../lib/runtime/nearest-name.ts'
import { isList, isRecord } from '../json/record.ts'
import {
  DeletePermission,
  InsertPermission,
  SelectPermission,
  UpdatePermission,
} from './permissions.ts'

/** The keys from the root of the metadata to a value. */
export type DocumentPath = readonly PropertyKey[]

type Issues = readonly z.core.$ZodIssue[]
type ParseSettings = z.core.ParseContext<z.core.$ZodIssue>

/**
 * Parses metadata. Like Hasura, ignores unknown keys. But a key of a permission that is one typing error away from a
 * known key is a fault, because a permission without its misspelt `check` or `limit` would allow too much.
 *
 * @returns the result for the metadata without the ignored keys, and the paths of those keys
 */
export function parseIgnoringKeys<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  settings?: ParseSettings,
): { result: z.ZodSafeParseResult<z.output<Schema>>; ignoredKeys: readonly DocumentPath[] } {
  const ignoredKeys: DocumentPath[] = []
  let strippedValue = value
  for (;;) {
    const result = schema.safeParse(strippedValue, settings)
    const newKeys = result.success ? [] : ignorableKeys(result.error.issues)
    if (newKeys.length === 0) return { result, ignoredKeys }
    ignoredKeys.push(...newKeys)
    strippedValue = newKeys.reduce(withoutKey, strippedValue)
  }
}

/** Returns the unknown keys that can be ignored. Further unknown keys may appear only after these have been removed. */
function ignorableKeys(issues: Issues): DocumentPath[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'invalid_union') return ignorableInUnion(issue)
    if (issue.code !== 'unrecognized_keys') return []
    const isMisspelt = (key: string) =>
      issue.path.at(-1) === 'permission' && isNearPermissionKey(key)
    return issue.keys.filter((key) => !isMisspelt(key)).map((key) => [...issue.path, key])
  })
}

/**
 * Returns the ignorable keys of a union: the unknown keys of the first alternative that has no other issues. Leaves out
 * a key if another alternative knows it and accepts this type of value.
 */
function ignorableInUnion({ path, errors }: z.core.$ZodIssueInvalidUnion): DocumentPath[] {
  const alternatives = errors.map((issues) => ({ issues, keys: ignorableKeys(issues) }))
  const alternative = alternatives.find(
    ({ issues }) =>
      issues.length > 0 &&
      issues.every((issue) => ignorableKeys([issue]).length === keyCount(issue)),
  )
  const isIgnorableIn = ({ issues, keys }: (typeof alternatives)[number], key: DocumentPath) =>
    keys.some((candidate) => candidate.join() === key.join()) ||
    issues.some(({ code, path: at }) => code === 'invalid_type' && at.length === 0)
  const ignorable = alternative?.keys.filter((key) =>
    alternatives.every((candidate) => isIgnorableIn(candidate, key)),
  )
  return (ignorable ?? []).map((key) => [...path, ...key])
}

/** Returns the number of unknown keys that an issue lists; NaN for any other issue. */
function keyCount(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : Number.NaN
}

const PERMISSION_KEYS = [
  SelectPermission,
  InsertPermission,
  UpdatePermission,
  DeletePermission,
].flatMap(({ shape }) => Object.keys(shape))

function isNearPermissionKey(key: string): boolean {
  return findNearestName(key, PERMISSION_KEYS)?.distance === 1
}

/** Copies a value without the member at the path. */
function withoutKey(value: unknown, [step, ...laterSteps]: DocumentPath): unknown {
  if (isList(value))
    return value.map((item, i) => (i === step ? withoutKey(item, laterSteps) : item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).flatMap(([key, member]) => {
    if (key !== step) return [[key, member] as const]
    return laterSteps.length === 0 ? [] : [[key, withoutKey(member, laterSteps)] as const]
  })
  return Object.fromEntries(entries)
}
