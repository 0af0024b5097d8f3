import fc from 'fast-check'
import { type Compared, deliberateReason } from './compare/deliberate-differences.ts'
import { answerDifference, type Difference, rowsDifference } from './compare/difference.ts'
import type { Operation } from './operations/operation.ts'
import { randomOperation } from './operations/random-operation.ts'
import { roleSchemaOf } from './operations/role-schema.ts'
import type { RecordedOperation, Recording } from './recordings/recording.ts'
import { type Case, reduceCase } from './reduce/reduce-case.ts'
import type { ServerRequest } from './servers/graphql-server.ts'
import { restoreRows, rowsText } from './servers/saved-rows.ts'
import type { Stage } from './servers/stage.ts'
import type { Summary } from './summary.ts'
import { randomWorld } from './worlds/random-world.ts'
import type { Caller, RandomWorld } from './worlds/world.ts'

/** The two servers that are compared. */
export type ServerPair = {
  hasura: Stage
  embedded: Stage
  /** The number of smaller cases that are tried at most for each printed difference. */
  maxTries: number
}

export type Amount = { seed: number; worlds: number; operations: number }

/**
 * Sends the same operations to both servers in random worlds, and compares the responses and the rows.
 *
 * @returns Hasura's responses
 */
export async function compareServers(
  pair: ServerPair,
  amount: Amount,
  summary: Summary,
): Promise<Recording[]> {
  const recordings: Recording[] = []
  for (let nth = 0; nth < amount.worlds; nth += 1) {
    const seed = amount.seed + nth
    const [sample] = fc.sample(randomWorld(), { seed, numRuns: 1 })
    if (!sample) continue
    const world = { ...sample, name: `random ${seed}` }
    const count = Math.ceil(amount.operations / amount.worlds)
    const rows = await compareWorld(pair, world, { seed, count }, summary)
    recordings.push({ world: withoutCallers(world), rows })
    console.info(`world ${nth + 1} of ${amount.worlds} (seed ${seed}): ${rows.length} operations`)
  }
  return recordings
}

/** Removes the properties that only random worlds have. */
function withoutCallers({ callers: _, keys: _keys, values: _values, ...world }: RandomWorld) {
  return world
}

async function compareWorld(
  pair: ServerPair,
  world: RandomWorld,
  { seed, count }: { seed: number; count: number },
  summary: Summary,
): Promise<RecordedOperation[]> {
  const expected = (await pair.hasura.show(world)).join()
  const inconsistent = (await pair.embedded.show(world)).join()
  if (expected !== inconsistent)
    summary.differ({ kind: 'data', summary: `inconsistent: ${expected} → ${inconsistent}` })
  const rows: RecordedOperation[] = []
  for (const [i, caller] of world.callers.entries()) {
    const share = Math.ceil(count / world.callers.length)
    const draw = { seed: seed * 100 + i, count: share }
    for (const operation of await drawOperations(pair, world, caller, draw)) {
      // The reduction of the last difference may have left another world on the servers.
      await Promise.all([pair.hasura.show(world), pair.embedded.show(world)])
      rows.push(await compareOperation(pair, { world, caller, operation }, summary))
    }
  }
  return rows
}

async function drawOperations(
  { embedded }: ServerPair,
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

type CallerOperation = { world: RandomWorld; caller: Caller; operation: Operation }

async function compareOperation(
  pair: ServerPair,
  { world, caller, operation }: CallerOperation,
  summary: Summary,
): Promise<RecordedOperation> {
  const request: ServerRequest = { headers: caller.headers, body: operation.body }
  const outcome = await sendToBoth(pair, request, operation)
  const { expected, engine, tables, difference } = outcome
  const reason = difference && deliberateReason({ request, expected, engine, difference })
  if (!difference) summary.agree()
  else if (reason) summary.excuse(reason)
  else if (summary.differ(difference)) {
    const smallest = await reduceDifference(pair, { world, request }, operation)
    showDifference(smallest ?? { world, request, outcome: { ...outcome, difference } }, summary)
  }
  const { kind, isOrdered } = operation
  const { status, text } = expected
  const row = { role: caller.name, kind, ...request, status, text, isOrdered }
  return tables === null ? row : { ...row, tables }
}

type Outcome = Omit<Compared, 'difference' | 'request'> & {
  /** Hasura's rows after a mutation. */
  tables: string | null
  difference: Difference | null
}

type DifferentOutcome = Outcome & { difference: Difference }

/** Sends a request to both servers. Before a mutation, restores the rows of the world. */
async function sendToBoth(
  { hasura, embedded }: ServerPair,
  { headers, body }: ServerRequest,
  { kind, isOrdered }: Pick<Operation, 'kind' | 'isOrdered'>,
): Promise<Outcome> {
  const servers = [hasura.server, embedded.server] as const
  if (kind === 'mutation') await Promise.all(servers.map(restoreRows))
  const [expected, engine] = await Promise.all(
    servers.map((server) => server.post('/v1/graphql', body, headers)),
  )
  if (!expected || !engine) throw new Error('A server sent no response.')
  // SQL returns changed rows in an undefined order.
  const responseDifference = answerDifference(expected, engine, {
    isOrdered: isOrdered && kind === 'query',
  })
  if (kind === 'query') return { expected, engine, tables: null, difference: responseDifference }
  const [tables = '', engineTables = ''] = await Promise.all(servers.map(rowsText))
  const difference = responseDifference ?? rowsDifference(tables, engineTables)
  return { expected, engine, tables, difference }
}

type ReducedCase = Case & { outcome: DifferentOutcome }

/** Makes a difference as small as possible; null if the difference does not occur again, or if a server reports inconsistent objects. */
async function reduceDifference(
  pair: ServerPair,
  original: Case,
  operation: Operation,
): Promise<ReducedCase | null> {
  const smallest = await reduceCase(
    original,
    async (smaller) => (await differenceOn(pair, smaller, operation)) !== null,
    pair.maxTries,
  )
  const outcome = await differenceOn(pair, smallest, operation)
  return outcome && { ...smallest, outcome }
}

function showDifference({ world, request, outcome }: ReducedCase, summary: Summary): void {
  const { difference, engine, expected } = outcome
  summary.show({
    difference: `${difference.kind}: ${difference.summary}`,
    sql: world.sql,
    metadata: world.metadata,
    request,
    engine: `${engine.status} ${engine.text}`,
    expected: `${expected.status} ${expected.text}`,
    source: 'the given Hasura',
  })
}

/** Compares the servers on a case; null if they agree, differ on purpose, or if a server reports inconsistent objects. */
async function differenceOn(
  pair: ServerPair,
  { world, request }: Case,
  operation: Operation,
): Promise<DifferentOutcome | null> {
  const inconsistent = await Promise.all([pair.hasura.show(world), pair.embedded.show(world)])
  if (inconsistent.flat().length > 0) return null
  await Promise.all([restoreRows(pair.hasura.server), restoreRows(pair.embedded.server)])
  const outcome = await sendToBoth(pair, request, operation)
  const { expected, engine, difference } = outcome
  if (!difference || deliberateReason({ request, expected, engine, difference }) !== null)
    return null
  return { ...outcome, difference }
}
