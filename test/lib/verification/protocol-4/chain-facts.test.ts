import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createChainFacts } from '../../../../lib/verification/protocol-4/chain-facts.ts'
import { fakeContracts } from '../../../support/verification/protocol-4.ts'

const key = { x: 1n, y: 2n }
const callers = ['app']

/** Creates the facts of a chain that knows even ids, with a test clock. `queries` has the queries to the chain. */
function scene({ maxEntries = 100 } = {}) {
  const clock = { now: 1_000 }
  const queries: string[] = []
  const published = new Set<bigint>()
  const registry = new Registry()
  const query = async <Fact>(name: string, fact: Fact) => {
    queries.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    return fact
  }
  const contracts = fakeContracts({
    isValidRoot: (address, root) =>
      query(`root ${address} ${root}`, root % 2n === 0n || published.has(root)),
    issuerKey: (address, id) => query(`issuer ${address} ${id}`, id % 2n === 0n ? key : null),
    oprfKey: (address, id) => query(`rp ${address} ${id}`, id % 2n === 0n ? key : null),
  })
  const facts = createChainFacts({ contracts, registry, now: () => clock.now, maxEntries })
  const publish = (root: bigint) => published.add(root)
  return { facts, queries, clock, registry, publish }
}

test('a valid root and the keys are cached for a minute', async () => {
  const { facts, queries, clock } = scene()
  const readAll = () =>
    Promise.all([
      facts.isValidRoot('a', 2n, callers),
      facts.issuerKey('a', 2n, callers),
      facts.oprfKey('a', 2n, callers),
    ])
  expect(await readAll()).toEqual([true, key, key])
  clock.now += 59
  expect(await readAll()).toEqual([true, key, key])
  expect(queries).toHaveLength(3)
  clock.now += 2
  await readAll()
  expect(queries).toHaveLength(6)
})

test('an invalid root and a missing key are cached for two seconds', async () => {
  const { facts, queries, clock } = scene()
  const expectAbsence = async () => {
    expect(await facts.isValidRoot('a', 1n, callers)).toBe(false)
    expect(await facts.issuerKey('a', 1n, callers)).toBeNull()
    expect(await facts.oprfKey('a', 1n, callers)).toBeNull()
  }
  for (let round = 0; round < 20; round++) await expectAbsence()
  expect(queries).toHaveLength(3)
  clock.now += 2.1
  await expectAbsence()
  expect(queries).toHaveLength(6)
})

test('a root that was published is valid two seconds after its refusal, although it was looked up all the time', async () => {
  const { facts, clock, publish } = scene()
  expect(await facts.isValidRoot('a', 1n, callers)).toBe(false)
  publish(1n)
  for (const seconds of [0.5, 1, 1.5]) {
    clock.now = 1_000 + seconds
    expect(await facts.isValidRoot('a', 1n, callers)).toBe(false)
  }
  clock.now = 1_002.1
  expect(await facts.isValidRoot('a', 1n, callers)).toBe(true)
})

test('invented roots do not displace a valid root', async () => {
  const { facts, queries } = scene({ maxEntries: 2 })
  await facts.isValidRoot('a', 2n, callers)
  for (let root = 1n; root < 40n; root += 2n) await facts.isValidRoot('a', root, callers)
  queries.length = 0
  await facts.isValidRoot('a', 2n, callers)
  expect(queries).toEqual([])
  await facts.isValidRoot('a', 1n, callers)
  expect(queries).toEqual(['root a 1'])
})

test('a fact of one registry is no fact of another registry', async () => {
  const { facts, queries } = scene()
  await facts.isValidRoot('a', 2n, callers)
  await facts.isValidRoot('b', 2n, callers)
  expect(queries).toEqual(['root a 2', 'root b 2'])
})

test('an issuer and a relying party with the same id have separate caches', async () => {
  const { facts, queries } = scene()
  await facts.issuerKey('a', 2n, callers)
  await facts.oprfKey('a', 2n, callers)
  expect(queries).toEqual(['issuer a 2', 'rp a 2'])
})

test('concurrent lookups of a fact share a query', async () => {
  const { facts, queries } = scene()
  await Promise.all(Array.from({ length: 20 }, () => facts.oprfKey('a', 2n, callers)))
  expect(queries).toEqual(['rp a 2'])
})

test('each cache keeps at most maxEntries facts, and drops the least recently used', async () => {
  const { facts, queries } = scene({ maxEntries: 2 })
  for (const id of [2n, 4n, 6n, 6n, 4n]) await facts.oprfKey('a', id, callers)
  expect(queries).toEqual(['rp a 2', 'rp a 4', 'rp a 6'])
  await facts.oprfKey('a', 2n, callers)
  expect(queries.at(-1)).toBe('rp a 2')
})

test('a failed query is unavailable for each waiting lookup, and is not cached', async () => {
  const { facts } = scene()
  const lookups = [facts.settings('a', callers), facts.settings('a', callers)]
  for (const { status, ...result } of await Promise.allSettled(lookups)) {
    expect(status).toBe('rejected')
    expect(result).toMatchObject({ reason: { code: 'unavailable' } })
  }
})

test('lookups are counted by the kind of fact and the source of the answer', async () => {
  const { facts, registry } = scene()
  await Promise.all([facts.issuerKey('a', 2n, callers), facts.oprfKey('a', 1n, callers)])
  await facts.issuerKey('a', 2n, callers)
  const text = await registry.getSingleMetricAsString('world_chain_lookups_total')
  expect(text).toContain('{fact="issuer",answer="chain"} 1')
  expect(text).toContain('{fact="issuer",answer="memory"} 1')
  expect(text).toContain('{fact="rp",answer="chain"} 1')
})
