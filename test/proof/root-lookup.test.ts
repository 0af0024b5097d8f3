import { expect, test } from 'vitest'
import { createRootLookup, type Root } from '../../proof/root-lookup.ts'

/** A chain that counts its queries, and a clock that stands still until it is moved. */
function scene({ maxEntries = 100 } = {}) {
  const answers = new Map<string, Root>()
  const clock = { now: 1_000 }
  const asked: string[] = []
  const { find } = createRootLookup({
    query: async (group, root) => {
      asked.push(`${group} ${root}`)
      return answers.get(`${group} ${root}`) ?? { known: false }
    },
    now: () => clock.now,
    maxEntries,
  })
  const publish = (root: bigint, supersededAt: number | null, group = 'staging') =>
    answers.set(`${group} ${root}`, { known: true, supersededAt })
  return { find, publish, clock, asked }
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
  const { find } = createRootLookup({
    query: async () => {
      if (away) throw new Error('the chain is away')
      return { known: true, supersededAt: null }
    },
    now: () => 0,
    maxEntries: 10,
  })
  const waiting = await Promise.allSettled([find('staging', 1n), find('staging', 1n)])
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  away = false
  expect(await find('staging', 1n)).toEqual({ known: true, supersededAt: null })
})
