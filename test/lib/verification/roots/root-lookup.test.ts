import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { RootRecord } from '../../../../lib/chain/group-contract.ts'
import { createRootLookup } from '../../../../lib/verification/roots/root-lookup.ts'

/** Resolves the name of a group to itself. */
const addresses = { find: async (group: string) => group }

/**
 * Creates a lookup with a fake chain and a test clock. `queries` has the queries to the chain. `turns` has the callers
 * that entered the queue, and an `end` for each turn that ended.
 */
function scene({ maxEntries = 100 } = {}) {
  const answers = new Map<string, RootRecord>()
  const clock = { now: 1_000 }
  const queries: string[] = []
  const turns: string[] = []
  const lookup = createRootLookup({
    addresses,
    contract: {
      queryRoot: async (group, root) => {
        queries.push(`${group} ${root}`)
        return answers.get(`${group} ${root}`) ?? { isKnown: false }
      },
    },
    registry: new Registry(),
    turns: {
      enter: async (callers) => {
        turns.push(callers.join())
        await new Promise((resolve) => setImmediate(resolve))
        return () => turns.push('end')
      },
    },
    now: () => clock.now,
    maxEntries,
  })
  const find = (group: string, root: bigint, callers = ['app', 'address']) =>
    lookup.find(group, root, callers)
  const publish = (root: bigint, supersededAt: number | null, group = 'staging') =>
    answers.set(`${group} ${root}`, { isKnown: true, supersededAt })
  return { find, publish, clock, queries, turns }
}

test('the record of the latest root is cached for a minute', async () => {
  const { find, publish, clock, queries } = scene()
  publish(1n, null)
  await find('staging', 1n)
  clock.now += 59
  expect(await find('staging', 1n)).toEqual({ isKnown: true, supersededAt: null })
  expect(queries).toHaveLength(1)
  clock.now += 2
  publish(1n, clock.now)
  expect(await find('staging', 1n)).toEqual({ isKnown: true, supersededAt: clock.now })
  expect(queries).toHaveLength(2)
})

test('the record of a superseded root is cached for a minute, since it may become the latest again', async () => {
  const { find, publish, clock, queries } = scene()
  publish(1n, 990)
  await find('staging', 1n)
  clock.now += 59
  expect(await find('staging', 1n)).toEqual({ isKnown: true, supersededAt: 990 })
  expect(queries).toHaveLength(1)
  clock.now += 2
  publish(1n, null)
  expect(await find('staging', 1n)).toEqual({ isKnown: true, supersededAt: null })
})

test('an unknown root is not cached, and is known as soon as it is published', async () => {
  const { find, publish } = scene()
  expect(await find('staging', 1n)).toEqual({ isKnown: false })
  publish(1n, null)
  expect(await find('staging', 1n)).toEqual({ isKnown: true, supersededAt: null })
})

test('a root of one group is unknown to another group', async () => {
  const { find, publish } = scene()
  publish(1n, null, 'production')
  expect(await find('production', 1n)).toMatchObject({ isKnown: true })
  expect(await find('staging', 1n)).toEqual({ isKnown: false })
})

test('concurrent lookups of one root share a query', async () => {
  const { find, publish, queries } = scene()
  publish(1n, null)
  const answers = await Promise.all(Array.from({ length: 50 }, () => find('staging', 1n)))
  expect(new Set(answers.map((answer) => answer.isKnown))).toEqual(new Set([true]))
  expect(queries).toHaveLength(1)
})

test('the least recently used record is dropped from a full cache', async () => {
  const { find, publish, queries } = scene({ maxEntries: 2 })
  for (const root of [1n, 2n, 3n]) publish(root, 900)
  for (const root of [1n, 2n, 3n, 3n, 2n]) await find('staging', root)
  expect(queries).toEqual(['staging 1', 'staging 2', 'staging 3'])
  await find('staging', 1n)
  expect(queries.at(-1)).toBe('staging 1')
})

test('a failed query rejects every waiting lookup, and is not cached', async () => {
  let isAway = true
  const lookup = createRootLookup({
    addresses,
    contract: {
      queryRoot: async () => {
        if (isAway) throw new Error('the chain is away')
        return { isKnown: true, supersededAt: null }
      },
    },
    registry: new Registry(),
    now: () => 0,
  })
  const find = (group: string, root: bigint) => lookup.find(group, root, [])
  const results = await Promise.allSettled([find('staging', 1n), find('staging', 1n)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  expect(await find('staging', 1n)).toEqual({ isKnown: true, supersededAt: null })
})

test('each lookup of an uncached root waits in the queue, but only one queries the chain', async () => {
  const { find, publish, queries, turns } = scene()
  publish(1n, null)
  const answers = [find('staging', 1n, ['a', 'x']), find('staging', 1n, ['b', 'x'])]
  await Promise.all(answers)
  await find('staging', 1n, ['c', 'x'])
  expect(turns).toEqual(['a,x', 'b,x', 'end', 'end'])
  expect(queries).toEqual(['staging 1'])
})
