import fc from 'fast-check'
import type { Reproduction } from '../reproduction.ts'
import type { Asking, GraphqlServer } from '../servers/graphql-server.ts'
import type { World } from './reference.ts'
import { REFERENCE_SCHEMA, rowStatements } from './reference-world.ts'

/** Random worlds and operations, and how the engine's answers are compared with those of the reference. */
export type ReferenceProperty = {
  name: string
  /** How many operations a run asks, more or less. */
  operations: number
  /** Runs so many random worlds. @returns the smallest difference, or null */
  check(server: GraphqlServer, runs: Runs): Promise<Reproduction | null>
}

export type Runs = { numRuns: number; seed?: number | undefined }

/** Stops a run, and has what was found. */
class ReferenceDiffers extends Error {
  override readonly name = 'ReferenceDiffers'
  readonly reproduction: Reproduction

  constructor(reproduction: Reproduction) {
    super(reproduction.difference)
    this.reproduction = reproduction
  }
}

/** Runs a predicate on random values until it throws; then on ever smaller ones. */
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

type Compared = { world: World; metadata: object; asked: Asking }

/** @throws ReferenceDiffers, with all that is needed to see the difference again */
export function failReference(
  { world, metadata, asked }: Compared,
  difference: string,
  { engine, expected }: { engine: unknown; expected: unknown },
): never {
  throw new ReferenceDiffers({
    difference,
    sql: [...REFERENCE_SCHEMA, ...rowStatements(world).slice(1)],
    metadata,
    asked,
    engine: JSON.stringify(engine),
    expected: JSON.stringify(expected),
    by: 'the reference',
  })
}
