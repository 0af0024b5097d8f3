import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { RootRecord } from '../../../../lib/chain/group-contract.ts'
import { createRootLookup } from '../../../../lib/verification/roots/root-lookup.ts'

/** Groups whose contracts have their names as addresses. */
const addresses = { find: async (group: string) => group }

/** A chain that counts its queries, and a clock that stands still until it is moved. */
function scene({ maxEntries = 100 } = {}) {
  const answers = new Map<string, RootRecord>()
  const clock = { now: 1_000 }
  const asked: string[] = []
  const turns: string[] = []
  const lookup = createRootLookup({
    addresses,
    contract: {
      queryRoot: async (group, root) => {
        asked.push(`${group} ${root}`)
        return answers.get(`${group} ${root}`) ?? { known: false }
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
    answers.set(`${group} ${root}`, { known: true, supersededAt })
  return { find, publish, clock, asked, turns }
}

test('the latest root is asked for once, until a minute has passed', async () => {
  const { find, publish, clock, asked } = scene()
  publish(1n, null)
  await find('staging', 1n)
  clock.now += 59
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: null })
  expect(asked).toHaveLength(1)
  clock.now += 2
  publish(1n, clock.now)
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: clock.now })
  expect(asked).toHaveLength(2)
})

test('a superseded root is asked for again after a minute: it may be the latest once more', async () => {
  const { find, publish, clock, asked } = scene()
  publish(1n, 990)
  await find('staging', 1n)
  clock.now += 59
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: 990 })
  expect(asked).toHaveLength(1)
  clock.now += 2
  publish(1n, null)
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: null })
})

test('an unknown root is asked for each time, and found as soon as it is published', async () => {
  const { find, publish } = scene()
  expect(await find('staging', 1n)).toEqual({ known: false })
  publish(1n, null)
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: null })
})

test('a root of one group is unknown to the other', async () => {
  const { find, publish } = scene()
  publish(1n, null, 'production')
  expect(await find('production', 1n)).toMatchObject({ known: true })
  expect(await find('staging', 1n)).toEqual({ known: false })
})

test('many who ask at once share one question', async () => {
  const { find, publish, asked } = scene()
  publish(1n, null)
  const answers = await Promise.all(Array.from({ length: 50 }, () => find('staging', 1n)))
  expect(new Set(answers.map((answer) => answer.known))).toEqual(new Set([true]))
  expect(asked).toHaveLength(1)
})

test('the oldest answer makes room for the newest', async () => {
  const { find, publish, asked } = scene({ maxEntries: 2 })
  for (const root of [1n, 2n, 3n]) publish(root, 900)
  for (const root of [1n, 2n, 3n, 3n, 2n]) await find('staging', root)
  expect(asked).toEqual(['staging 1', 'staging 2', 'staging 3'])
  await find('staging', 1n)
  expect(asked.at(-1)).toBe('staging 1')
})

test('a failure reaches everybody who waits, and is forgotten', async () => {
  let away = true
  const lookup = createRootLookup({
    addresses,
    contract: {
      queryRoot: async () => {
        if (away) throw new Error('the chain is away')
        return { known: true, supersededAt: null }
      },
    },
    registry: new Registry(),
    now: () => 0,
  })
  const find = (group: string, root: bigint) => lookup.find(group, root, [])
  const waiting = await Promise.allSettled([find('staging', 1n), find('staging', 1n)])
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  away = false
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: null })
})

test('a root that is not remembered takes a turn of those who ask for it, and is asked for once', async () => {
  const { find, publish, asked, turns } = scene()
  publish(1n, null)
  const answers = [find('staging', 1n, ['a', 'x']), find('staging', 1n, ['b', 'x'])]
  await Promise.all(answers)
  await find('staging', 1n, ['c', 'x'])
  expect(turns).toEqual(['a,x', 'b,x', 'end', 'end'])
  expect(asked).toEqual(['staging 1'])
})
