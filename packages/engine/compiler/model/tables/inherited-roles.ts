import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import type { Predicate } from '../../ir/ir.ts'
import { ConflictingObjects, type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type { SelectPermission, TablePermissions } from '../model.ts'
import { NO_PERMISSIONS } from './permissions.ts'
import type { UnfinishedTable } from './tables.ts'

/**
 * Returns the inherited roles with their parents; parents come before heirs. Reports and leaves out a role with an
 * unknown parent, and a role that inherits from itself or has an ancestor that does.
 */
export function resolveInheritedRoles(
  metadata: Metadata,
  errors: InconsistencyReport,
): Map<string, readonly string[]> {
  const all = definedRoles(metadata)
  const parentsByRole = new Map<string, readonly string[]>()
  const orderedRoles = new Map<string, readonly string[]>()
  const attempt = (definition: InheritedRole, resolve: () => void) => {
    const prefix = `in inherited role ${definition.role_name}`
    const name = `inherited_role inherited role ${definition.role_name}`
    errors.attempt({ type: 'inherited_role', name, prefix, definition }, resolve)
  }
  for (const role of metadata.inherited_roles)
    attempt(role, () => {
      requireKnownParents(role, all)
      parentsByRole.set(role.role_name, role.role_set)
    })
  for (const role of metadata.inherited_roles) attempt(role, () => visit(role.role_name, []))
  return orderedRoles

  function visit(role: string, path: readonly string[]) {
    const parents = parentsByRole.get(role)
    if (!parents || orderedRoles.has(role)) return
    if (path.includes(role)) throw cycleError(path.slice(path.indexOf(role)))
    for (const parent of parents) visit(parent, [...path, role])
    orderedRoles.set(role, parents)
  }
}

type InheritedRole = Metadata['inherited_roles'][number]

/** Returns all roles: roles with permissions on tables, logical models and actions, and inherited roles. */
function definedRoles({ sources, actions, inherited_roles }: Metadata): ReadonlySet<string> {
  const tablePermissions = sources
    .flatMap(({ tables }) => tables)
    .flatMap((table) => [
      ...table.select_permissions,
      ...table.insert_permissions,
      ...table.update_permissions,
      ...table.delete_permissions,
    ])
  const modelPermissions = sources
    .flatMap((source) => source.logical_models)
    .flatMap(({ select_permissions }) => select_permissions)
  const allPermissions = [
    ...tablePermissions,
    ...modelPermissions,
    ...actions.flatMap(({ permissions }) => permissions),
  ]
  return new Set([
    ...allPermissions.map(({ role }) => role),
    ...inherited_roles.map(({ role_name }) => role_name),
  ])
}

function requireKnownParents({ role_name, role_set }: InheritedRole, all: ReadonlySet<string>) {
  const missingParents = role_set.filter((parent) => !all.has(parent))
  if (missingParents.length > 0)
    throw new Inconsistent(
      `the following parent role(s) are not found: ${missingParents.join(', ')} which are required to construct the inherited role: "${role_name}"`,
    )
}

/**
 * Creates the error for a cycle of roles. The list begins and ends with the alphabetically first role; each role comes
 * before its parent.
 */
function cycleError(roles: readonly string[]): ConflictingObjects {
  const first = roles.indexOf(requireValue(roles.toSorted()[0], 'the first role of a cycle'))
  const cycle = [...roles.slice(first), ...roles.slice(0, first + 1)]
  return new ConflictingObjects(
    'cyclic-dependency',
    `found cycle(s) in roles: ${JSON.stringify(cycle)}`,
  )
}

/**
 * Gives each inherited role the permissions of its parents. The role keeps each kind of permission that it has already.
 * Select permissions are combined. Any other kind is inherited only if all permissions of the parents are equal;
 * otherwise a conflict is reported.
 */
export function inheritPermissions(
  tables: readonly Pick<UnfinishedTable, 'source' | 'schema' | 'name' | 'permissions'>[],
  roles: ReadonlyMap<string, readonly string[]>,
  errors: InconsistencyReport,
): void {
  for (const [role, parents] of roles)
    for (const table of tables) {
      const rolePermissions = table.permissions.get(role) ?? NO_PERMISSIONS
      const parentPermissions = parents.flatMap((parent) => table.permissions.get(parent) ?? [])
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
      const sharedPermission = <K extends 'insert' | 'update' | 'delete'>(
        kind: K,
      ): TablePermissions[K] => {
        const distinct = new Set(
          parentPermissions.flatMap((permissions) => permissions[kind] ?? []),
        )
        if (distinct.size > 1) conflict(kind)
        const [permission = null] = distinct.size === 1 ? distinct : []
        return permission
      }
      table.permissions.set(role, {
        select:
          rolePermissions.select ??
          unionOfSelectPermissions(parentPermissions.flatMap(({ select }) => select ?? [])),
        insert: rolePermissions.insert ?? sharedPermission('insert'),
        update: rolePermissions.update ?? sharedPermission('update'),
        delete: rolePermissions.delete ?? sharedPermission('delete'),
      })
    }
}

/**
 * Combines the parents' select permissions. The role sees each row that a parent sees. The role sees a value in the row
 * if at least one parent that sees the row may see the value.
 */
function unionOfSelectPermissions(parents: readonly SelectPermission[]): SelectPermission | null {
  const [first, ...furtherParents] = parents
  if (first === undefined || furtherParents.length === 0) return first ?? null
  const limits = parents.flatMap(({ limit }) => limit ?? [])
  return {
    columns: maskValues(parents, ({ columns }) => columns),
    computedFields: maskValues(parents, ({ computedFields }) => computedFields),
    filter: { kind: 'or', operands: parents.map(({ filter }) => filter) },
    limit: limits.length > 0 ? Math.max(...limits) : null,
    allowsAggregations: parents.some(({ allowsAggregations: aggregations }) => aggregations),
    queryRoots: unionOfRoots(parents.map(({ queryRoots }) => queryRoots)),
    subscriptionRoots: unionOfRoots(parents.map(({ subscriptionRoots }) => subscriptionRoots)),
  }
}

function maskValues<T>(
  parents: readonly SelectPermission[],
  visibleItems: (permission: SelectPermission) => ReadonlyMap<T, Predicate | null>,
): Map<T, Predicate | null> {
  const items = new Set(parents.flatMap((parent) => [...visibleItems(parent).keys()]))
  return new Map(
    [...items].map((item) => {
      const views = parents.filter((parent) => visibleItems(parent).has(item))
      const isMasked = views.some((view) => visibleItems(view).get(item) !== null)
      if (views.length === parents.length && !isMasked) return [item, null]
      const predicates = views.map((view): Predicate => {
        const mask = visibleItems(view).get(item)
        return mask ? { kind: 'and', operands: [view.filter, mask] } : view.filter
      })
      return [item, { kind: 'or', operands: predicates }]
    }),
  )
}

function unionOfRoots(sets: readonly (ReadonlySet<string> | null)[]): ReadonlySet<string> | null {
  const rootSets = sets.flatMap((set) => (set ? [set] : []))
  return rootSets.length < sets.length ? null : new Set(rootSets.flatMap((set) => [...set]))
}
