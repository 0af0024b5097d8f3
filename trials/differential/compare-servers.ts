import fc from 'fast-check'
import { type Compared, deliberateReason } from './compare/deliberate.ts'
import { answerDifference, type Difference, rowsDifference } from './compare/difference.ts'
import type { Operation } from './operations/operation.ts'
import { randomOperation } from './operations/random-operation.ts'
import { roleSchemaOf } from './operations/role-schema.ts'
import type { Recorded, Recording } from './recordings/recording.ts'
import { type Case, reduceCase } from './reduce/reduce-case.ts'
import type { Asking } from './servers/graphql-server.ts'
import { restoreRows, rowsText } from './servers/kept-rows.ts'
import type { Stage } from './servers/stage.ts'
import type { Summary } from './summary.ts'
import { randomWorld } from './worlds/random-world.ts'
import type { Caller, RandomWorld } from './worlds/world.ts'

/** The given Hasura, and the embedded engine. */
export type Both = {
  given: Stage
  embedded: Stage
  /** How many smaller cases are tried for each difference that is shown. */
  maxTries: number
}

export type Amount = { seed: number; worlds: number; operations: number }

/**
 * Asks both servers the same operations in random worlds, and compares answers and rows.
 *
 * @returns what the given Hasura answered
 */
export async function compareServers(
  both: Both,
  amount: Amount,
  summary: Summary,
): Promise<Recording[]> {
  const recordings: Recording[] = []
  for (let nth = 0; nth < amount.worlds; nth += 1) {
    const seed = amount.seed + nth
    const [drawn] = fc.sample(randomWorld(), { seed, numRuns: 1 })
    if (!drawn) continue
    const world = { ...drawn, name: `random ${seed}` }
    const count = Math.ceil(amount.operations / amount.worlds)
    const rows = await compareWorld(both, world, { seed, count }, summary)
    recordings.push({ world: worldAlone(world), rows })
    console.info(`world ${nth + 1} of ${amount.worlds} (seed ${seed}): ${rows.length} operations`)
  }
  return recordings
}

function worldAlone({ callers: _, keys: _keys, values: _values, ...world }: RandomWorld) {
  return world
}

async function compareWorld(
  both: Both,
  world: RandomWorld,
  { seed, count }: { seed: number; count: number },
  summary: Summary,
): Promise<Recorded[]> {
  const told = await both.given.show(world)
  const own = await both.embedded.show(world)
  if (told.join() !== own.join())
    summary.differ({ kind: 'data', summary: `inconsistent: ${told.join()} → ${own.join()}` })
  const rows: Recorded[] = []
  for (const [i, caller] of world.callers.entries()) {
    const share = Math.ceil(count / world.callers.length)
    const drawn = await drawOperations(both, world, caller, { seed: seed * 100 + i, count: share })
    for (const operation of drawn) {
      // A difference is made smaller in other worlds.
      await Promise.all([both.given.show(world), both.embedded.show(world)])
      rows.push(await compareOperation(both, { world, caller, operation }, summary))
    }
  }
  return rows
}

async function drawOperations(
  { embedded }: Both,
  world: RandomWorld,
  caller: Caller,
  { seed, count }: { seed: number; count: number },
): Promise<Operation[]> {
  const schema = await roleSchemaOf(embedded.server, caller)
  if (!schema) return []
  const changes = schema.getMutationType() ? Math.ceil(count / 3) : 0
  const draw = (kind: Operation['kind'], numRuns: number) =>
    fc.sample(randomOperation(schema, world, kind), { seed, numRuns })
  return [...draw('query', count - changes), ...draw('mutation', changes)]
}

type Drawn = { world: RandomWorld; caller: Caller; operation: Operation }

async function compareOperation(
  both: Both,
  { world, caller, operation }: Drawn,
  summary: Summary,
): Promise<Recorded> {
  const asked: Asking = { headers: caller.headers, body: operation.body }
  const outcome = await askBoth(both, asked, operation)
  const { expected, engine, tables, found } = outcome
  const reason = found && deliberateReason({ asked, expected, engine, found })
  if (!found) summary.agree()
  else if (reason) summary.excuse(reason)
  else if (summary.differ(found)) {
    const smallest = await reduceDifference(both, { world, asked }, operation)
    showDifference(smallest ?? { world, asked, outcome: { ...outcome, found } }, summary)
  }
  const { kind, isOrdered } = operation
  const { status, text } = expected
  const recorded = { role: caller.name, kind, ...asked, status, text, isOrdered }
  return tables === null ? recorded : { ...recorded, tables }
}

type Outcome = Omit<Compared, 'found' | 'asked'> & {
  /** The given server's rows after a mutation. */
  tables: string | null
  found: Difference | null
}

type Differing = Outcome & { found: Difference }

/** Sends a request to both; a mutation begins with the rows of the world. */
async function askBoth(
  { given, embedded }: Both,
  { headers, body }: Asking,
  { kind, isOrdered }: Pick<Operation, 'kind' | 'isOrdered'>,
): Promise<Outcome> {
  const servers = [given.server, embedded.server] as const
  if (kind === 'mutation') await Promise.all(servers.map(restoreRows))
  const [expected, engine] = await Promise.all(
    servers.map((server) => server.post('/v1/graphql', body, headers)),
  )
  if (!expected || !engine) throw new Error('Missing: an answer of each server.')
  // SQL returns changed rows in an undefined order.
  const found = answerDifference(expected, engine, { isOrdered: isOrdered && kind === 'query' })
  if (kind === 'query') return { expected, engine, tables: null, found }
  const [tables = '', own = ''] = await Promise.all(servers.map(rowsText))
  return { expected, engine, tables, found: found ?? rowsDifference(tables, own) }
}

type Reduced = Case & { outcome: Differing }

/** Makes a difference as small as it can be; null if it cannot be tried alone, since objects of its world are inconsistent. */
async function reduceDifference(
  both: Both,
  found: Case,
  operation: Operation,
): Promise<Reduced | null> {
  const smallest = await reduceCase(
    found,
    async (smaller) => (await differenceOn(both, smaller, operation)) !== null,
    both.maxTries,
  )
  const outcome = await differenceOn(both, smallest, operation)
  return outcome && { ...smallest, outcome }
}

function showDifference({ world, asked, outcome }: Reduced, summary: Summary): void {
  const { found, engine, expected } = outcome
  summary.show({
    difference: `${found.kind}: ${found.summary}`,
    sql: world.sql,
    metadata: world.metadata,
    asked,
    engine: `${engine.status} ${engine.text}`,
    expected: `${expected.status} ${expected.text}`,
    by: 'the given Hasura',
  })
}

/** How the servers differ on a case; null if they do not, or on purpose, or if either refuses the world. */
async function differenceOn(
  both: Both,
  { world, asked }: Case,
  operation: Operation,
): Promise<Differing | null> {
  const inconsistent = await Promise.all([both.given.show(world), both.embedded.show(world)])
  if (inconsistent.flat().length > 0) return null
  await Promise.all([restoreRows(both.given.server), restoreRows(both.embedded.server)])
  const outcome = await askBoth(both, asked, operation)
  const { expected, engine, found } = outcome
  if (!found || deliberateReason({ asked, expected, engine, found }) !== null) return null
  return { ...outcome, found }
}
