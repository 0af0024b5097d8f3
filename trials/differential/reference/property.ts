import fc from 'fast-check'
import type { Reproduction } from '../reproduction.ts'
import type { GraphqlServer, ServerRequest } from '../servers/graphql-server.ts'
import type { World } from './reference.ts'
import { REFERENCE_SCHEMA, rowStatements } from './reference-world.ts'

/** A comparison of the engine with the reference, on random worlds and operations. */
export type ReferenceProperty = {
  name: string
  /** The approximate number of operations in a world. */
  operations: number
  /** Runs random worlds. @returns the smallest difference, or null */
  check(server: GraphqlServer, runs: Runs): Promise<Reproduction | null>
}

export type Runs = { numRuns: number; seed?: number | undefined }

/** Stops a run at a difference. */
class ReferenceDiffers extends Error {
  override readonly name = 'ReferenceDiffers'
  readonly reproduction: Reproduction

  constructor(reproduction: Reproduction) {
    super(reproduction.difference)
    this.reproduction = reproduction
  }
}

/**
 * Runs a predicate on `numRuns` random values. If it throws, runs it on smaller and smaller values.
 *
 * @returns the smallest difference, or null
 * @throws other errors of the predicate
 */
export async function checkProperty<T>(
  arbitrary: fc.Arbitrary<T>,
  predicate: (value: T) => Promise<void>,
  { numRuns, seed }: Runs,
): Promise<Reproduction | null> {
  const property = fc.asyncProperty(arbitrary, predicate)
  const { failed, errorInstance } = await fc.check(property, {
    numRuns,
    ...(seed !== undefined && { seed }),
  })
  if (!failed) return null
  if (errorInstance instanceof ReferenceDiffers) return errorInstance.reproduction
  throw errorInstance
}

type RequestInWorld = { world: World; metadata: object; request: ServerRequest }

/** @throws ReferenceDiffers, which reproduces the difference */
export function failReference(
  { world, metadata, request }: RequestInWorld,
  difference: string,
  { engine, expected }: { engine: unknown; expected: unknown },
): never {
  throw new ReferenceDiffers({
    difference,
    sql: [...REFERENCE_SCHEMA, ...rowStatements(world).slice(1)],
    metadata,
    request,
    engine: JSON.stringify(engine),
    expected: JSON.stringify(expected),
    source: 'the reference',
  })
}
