import { isDeepStrictEqual } from 'node:util'
import { smallerList } from './smaller-list.ts'

/** Makes a JSON value smaller while something holds: leaves out members and items, then makes those that are left smaller. */
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
  const kept = [...(await smallerList(members, (some) => holds(Object.fromEntries(some))))]
  for (const [i, [key, member]] of kept.entries()) {
    const made = await smallerJson(member, (smaller) =>
      holds(Object.fromEntries(kept.with(i, [key, smaller]))),
    )
    if (!isDeepStrictEqual(made, member)) kept[i] = [key, made]
  }
  return Object.fromEntries(kept)
}
