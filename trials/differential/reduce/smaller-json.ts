import { isDeepStrictEqual } from 'node:util'
import { smallerList } from './smaller-list.ts'

/** Makes a JSON value smaller while the condition holds: removes members and items, then makes the remaining ones smaller. */
export async function smallerJson(
  value: unknown,
  holds: (smaller: unknown) => Promise<boolean>,
): Promise<unknown> {
  if (Array.isArray(value)) return smallerArray(value, holds)
  if (typeof value === 'object' && value !== null)
    return smallerObject(Object.entries(value), holds)
  return value
}

async function smallerArray(
  list: readonly unknown[],
  holds: (smaller: unknown) => Promise<boolean>,
): Promise<unknown[]> {
  const items = [...(await smallerList(list, holds))]
  for (const [i, item] of items.entries())
    items[i] = await smallerJson(item, (smaller) => holds(items.with(i, smaller)))
  return items
}

async function smallerObject(
  members: readonly [string, unknown][],
  holds: (smaller: unknown) => Promise<boolean>,
): Promise<unknown> {
  const remaining = [...(await smallerList(members, (some) => holds(Object.fromEntries(some))))]
  for (const [i, [key, member]] of remaining.entries()) {
    const reduced = await smallerJson(member, (smaller) =>
      holds(Object.fromEntries(remaining.with(i, [key, smaller]))),
    )
    if (!isDeepStrictEqual(reduced, member)) remaining[i] = [key, reduced]
  }
  return Object.fromEntries(remaining)
}
