import { present } from '../../../../../lib/runtime/present.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import type { Predicate } from '../../ir/ir.ts'
import { ConflictingObjects, type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type { SelectPermission, TablePermissions } from '../model.ts'
import { NO_PERMISSIONS } from './permissions.ts'
import type { UnfinishedTable } from './tables.ts'

/**
 * Inherited roles with their parents, parents before heirs. A role with an unknown parent, or that inherits from
 * itself, is reported and left out.
 */
export function resolveInheritedRoles(
  metadata: Metadata,
  errors: InconsistencyReport,
): Map<string, readonly string[]> {
  const all = definedRoles(metadata)
  const given = new Map<string, readonly string[]>()
  const ordered = new Map<string, readonly string[]>()
  const attempt = (definition: InheritedRole, resolve: () => void) => {
    const prefix = `in inherited role ${definition.role_name}`
    const name = `inherited_role inherited role ${definition.role_name}`
    errors.attempt({ type: 'inherited_role', name, prefix, definition }, resolve)
  }
  for (const role of metadata.inherited_roles)
    attempt(role, () => {
      requireKnownParents(role, all)
      given.set(role.role_name, role.role_set)
    })
  for (const role of metadata.inherited_roles) attempt(role, () => visit(role.role_name, []))
  return ordered

  function visit(role: string, path: readonly string[]) {
    const parents = given.get(role)
    if (!parents || ordered.has(role)) return
    if (path.includes(role)) throw cycleError(path.slice(path.indexOf(role)))
    for (const parent of parents) visit(parent, [...path, role])
    ordered.set(role, parents)
  }
}

type InheritedRole = Metadata['inherited_roles'][number]

/** All roles: those with permissions on tables, logical models and actions, and the inherited ones. */
function definedRoles({ sources, actions, inherited_roles }: Metadata): ReadonlySet<string> {
  const granted = sources
    .flatMap(({ tables }) => tables)
    .flatMap((table) => [
      ...table.select_permissions,
      ...table.insert_permissions,
      ...table.update_permissions,
      ...table.delete_permissions,
    ])
  const ofModels = sources
    .flatMap((source) => source.logical_models)
    .flatMap(({ select_permissions }) => select_permissions)
  const given = [...granted, ...ofModels, ...actions.flatMap(({ permissions }) => permissions)]
  return new Set([
    ...given.map(({ role }) => role),
    ...inherited_roles.map(({ role_name }) => role_name),
  ])
}

function requireKnownParents({ role_name, role_set }: InheritedRole, all: ReadonlySet<string>) {
  const missing = role_set.filter((parent) => !all.has(parent))
  if (missing.length > 0)
    throw new Inconsistent(
      `the following parent role(s) are not found: ${missing.join(', ')} which are required to construct the inherited role: "${role_name}"`,
    )
}

/**
 * The error for a cycle of roles. It begins and ends with the role that is first in the alphabet; each role stands
 * before its parent.
 */
function cycleError(roles: readonly string[]): ConflictingObjects {
  const first = roles.indexOf(present(roles.toSorted()[0], 'the first role of a cycle'))
  const listed = [...roles.slice(first), ...roles.slice(0, first + 1)]
  return new ConflictingObjects(
    'cyclic-dependency',
    `found cycle(s) in roles: ${JSON.stringify(listed)}`,
  )
}

/** Gives each inherited role what its parents have, unless it has a permission of its own. */
export function inheritPermissions(
  tables: readonly Pick<UnfinishedTable, 'source' | 'schema' | 'name' | 'permissions'>[],
  roles: ReadonlyMap<string, readonly string[]>,
  errors: InconsistencyReport,
): void {
  for (const [role, parents] of roles)
    for (const table of tables) {
      const own = table.permissions.get(role) ?? NO_PERMISSIONS
      const inherited = parents.flatMap((parent) => table.permissions.get(parent) ?? [])
      const conflict = (kind: keyof TablePermissions) =>
        errors.add({
          type: 'inherited role permission inconsistency',
          name: role,
          reason: `Could not inherit permission for the role '${role}' for the entity: '${kind} permission, table: ${catalogKey(table)}, source: '${table.source.name}''`,
          definition: null,
          entity: {
            permission_type: kind,
            source: table.source.name,
            table: catalogKey(table),
          },
        })
      const theOne = <K extends 'insert' | 'update' | 'delete'>(kind: K): TablePermissions[K] => {
        const distinct = new Set(inherited.flatMap((permissions) => permissions[kind] ?? []))
        if (distinct.size > 1) conflict(kind)
        const [only = null] = distinct.size === 1 ? distinct : []
        return only
      }
      table.permissions.set(role, {
        select:
          own.select ?? unionOfSelectPermissions(inherited.flatMap(({ select }) => select ?? [])),
        insert: own.insert ?? theOne('insert'),
        update: own.update ?? theOne('update'),
        delete: own.delete ?? theOne('delete'),
      })
    }
}

/**
 * Combines the parents' select permissions: the role sees each row that a parent sees, and in it the values that the
 * parents who see that row may see.
 */
function unionOfSelectPermissions(parents: readonly SelectPermission[]): SelectPermission | null {
  const [first, ...others] = parents
  if (first === undefined || others.length === 0) return first ?? null
  const limits = parents.flatMap(({ limit }) => limit ?? [])
  return {
    columns: maskValues(parents, ({ columns }) => columns),
    computedFields: maskValues(parents, ({ computedFields }) => computedFields),
    filter: { kind: 'or', any: parents.map(({ filter }) => filter) },
    limit: limits.length > 0 ? Math.max(...limits) : null,
    allowsAggregations: parents.some(({ allowsAggregations: aggregations }) => aggregations),
    queryRoots: unionOfRoots(parents.map(({ queryRoots }) => queryRoots)),
    subscriptionRoots: unionOfRoots(parents.map(({ subscriptionRoots }) => subscriptionRoots)),
  }
}

function maskValues<T>(
  parents: readonly SelectPermission[],
  visible: (permission: SelectPermission) => ReadonlyMap<T, Predicate | null>,
): Map<T, Predicate | null> {
  const all = new Set(parents.flatMap((parent) => [...visible(parent).keys()]))
  return new Map(
    [...all].map((item) => {
      const views = parents.filter((parent) => visible(parent).has(item))
      const masked = views.some((view) => visible(view).get(item) !== null)
      if (views.length === parents.length && !masked) return [item, null]
      const any = views.map((view): Predicate => {
        const mask = visible(view).get(item)
        return mask ? { kind: 'and', all: [view.filter, mask] } : view.filter
      })
      return [item, { kind: 'or', any }]
    }),
  )
}

function unionOfRoots(sets: readonly (ReadonlySet<string> | null)[]): ReadonlySet<string> | null {
  const given = sets.flatMap((set) => (set ? [set] : []))
  return given.length < sets.length ? null : new Set(given.flatMap((set) => [...set]))
}
