import type { ExperimentalFeature } from '../../config/experimental-features.ts'
import type { CatalogTable } from '../../postgres/catalog.ts'
import { ConflictingObjects } from './inconsistency.ts'
import type { ModelSettings, RootFieldKind, Table } from './model.ts'

export type Root = 'query_root' | 'mutation_root' | 'subscription_root'

/** Records to which object each root field belongs, so that no two objects define the same field. */
export type RootNames = {
  /**
   * Reserves names for an object, all of them or none.
   *
   * @throws ConflictingObjects if another object has one of them, or if the object has one of them twice
   */
  reserve(owner: string, names: readonly RootName[]): void
}

export type RootName = { root: Root; name: string }

export function createRootNames(): RootNames {
  const owners = new Map<string, string>()
  return {
    reserve(owner, names) {
      const newOwners = new Map<string, string>()
      for (const { root, name } of names) {
        const key = `${root} ${name}`
        const otherOwner = owners.get(key) ?? newOwners.get(key)
        if (otherOwner !== undefined)
          throw new ConflictingObjects(
            'unexpected',
            `Encountered conflicting definitions in the selection set for '${root}' for field '${name}' defined in [${owner}, ${otherOwner}]. Fields must not be defined more than once across all sources.`,
          )
        newOwners.set(key, owner)
      }
      for (const [key] of newOwners) owners.set(key, owner)
    },
  }
}

/**
 * Creates a register for the root fields inside the namespace of a source. Reserves the namespace as a field of every
 * root.
 *
 * @throws ConflictingObjects if another object has that field
 */
export function rootNamesInside(roots: RootNames, namespace: string, source: string): RootNames {
  const names = namesInRoots([...READING_ROOTS, ...CHANGING_ROOTS], [namespace])
  roots.reserve(`source ${source}`, names)
  return createRootNames()
}

/** Repeats the names for each of several roots. */
export function namesInRoots(roots: readonly Root[], names: readonly string[]): RootName[] {
  return roots.flatMap((root) => names.map((name) => ({ root, name })))
}

/** The roots of fields that read. The fields can be queried and subscribed to. */
export const READING_ROOTS: readonly Root[] = ['query_root', 'subscription_root']

/** The roots of fields that change data. */
export const CHANGING_ROOTS: readonly Root[] = ['mutation_root']

/** Returns the names of all root fields that a table has for admin. */
export function tableRootNames(
  { catalog, rootFields }: { catalog: CatalogTable; rootFields: Table['rootFields'] },
  { experimentalFeatures }: ModelSettings,
): RootName[] {
  return [...rootFields].flatMap(([kind, { name }]) => {
    const { roots, requiredProperty, needsPrimaryKey = false } = ROOT_FIELD_KINDS[kind]
    const exists =
      (requiredProperty === null || catalog[requiredProperty]) &&
      (!needsPrimaryKey || catalog.primaryKey !== null)
    return exists && isRootFieldOffered(experimentalFeatures, kind)
      ? namesInRoots(roots, [name])
      : []
  })
}

type Kind = {
  roots: readonly Root[]
  /** The property that a table needs for the field; null for none. */
  requiredProperty: 'insertable' | 'updatable' | 'deletable' | null
  /** True if the table needs a primary key. */
  needsPrimaryKey?: true
}

const ROOT_FIELD_KINDS: Readonly<Record<RootFieldKind, Kind>> = {
  select: { roots: READING_ROOTS, requiredProperty: null },
  select_by_pk: { roots: READING_ROOTS, requiredProperty: null, needsPrimaryKey: true },
  select_aggregate: { roots: READING_ROOTS, requiredProperty: null },
  select_stream: { roots: ['subscription_root'], requiredProperty: null },
  insert: { roots: CHANGING_ROOTS, requiredProperty: 'insertable' },
  insert_one: { roots: CHANGING_ROOTS, requiredProperty: 'insertable' },
  update: { roots: CHANGING_ROOTS, requiredProperty: 'updatable' },
  update_by_pk: { roots: CHANGING_ROOTS, requiredProperty: 'updatable', needsPrimaryKey: true },
  update_many: { roots: CHANGING_ROOTS, requiredProperty: 'updatable' },
  delete: { roots: CHANGING_ROOTS, requiredProperty: 'deletable' },
  delete_by_pk: { roots: CHANGING_ROOTS, requiredProperty: 'deletable', needsPrimaryKey: true },
}

/** The experimental feature that hides a kind of root field, so that tables can use the name. */
const HIDING_FEATURES: Readonly<Partial<Record<RootFieldKind, ExperimentalFeature>>> = {
  select_stream: 'hide_stream_fields',
  update_many: 'hide_update_many_fields',
}

/** Reports whether tables have root fields of a kind. */
export function isRootFieldOffered(
  features: readonly ExperimentalFeature[],
  kind: RootFieldKind,
): boolean {
  const hiding = HIDING_FEATURES[kind]
  return hiding === undefined || !features.includes(hiding)
}
