import { isRecord } from '../../../json/record.ts'
import type { InputValidationMetadata } from '../../../metadata/input-validation.ts'
import type {
  InsertPermissionMetadata,
  SelectPermissionMetadata,
  UpdatePermissionMetadata,
} from '../../../metadata/permissions.ts'
import { type Environment, missingVariablesMessage } from '../../../outgoing/environment.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { TRUE } from '../../ir/ir.ts'
import { type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type {
  Column,
  ComputedField,
  InputValidation,
  InsertPermission,
  ModelSettings,
  Preset,
  SelectPermission,
  Table,
  TablePermissions,
  UpdatePermission,
} from '../model.ts'
import { requireEnumValue } from './comparison.ts'
import { constantScalar } from './constant-scalar.ts'
import { parseExpression } from './expression.ts'
import type { UnfinishedTable, UnfinishedTables } from './tables.ts'

/** Resolves the permissions of each role on each table. An invalid permission is not granted. */
export function addPermissions(
  tables: UnfinishedTables,
  { environment }: Pick<ModelSettings, 'environment'>,
  errors: InconsistencyReport,
): void {
  for (const table of tables.values()) {
    const { metadata } = table
    const grant = createGrant(table, errors)
    grant('select', metadata.select_permissions, (p, role) => {
      const select = resolveSelectPermission(p, table, tables)
      refuseRootFields(select, table, role)
      return { select }
    })
    grant('insert', metadata.insert_permissions, (p) => ({
      insert: {
        ...resolveInsertPermission(p, table, tables),
        validation: resolveValidation(p, environment),
      },
    }))
    grant('update', metadata.update_permissions, (p) => ({
      update: {
        ...resolveUpdatePermission(p, table, tables),
        validation: resolveValidation(p, environment),
      },
    }))
    grant('delete', metadata.delete_permissions, (p) => ({
      delete: {
        filter: parseExpression(p.filter, table, tables),
        backendOnly: p.backend_only,
        validation: resolveValidation(p, environment),
      },
    }))
  }
}

/** Creates a function that grants permissions to roles. */
function createGrant(table: UnfinishedTable, errors: InconsistencyReport) {
  return <T extends PermissionMetadata>(
    kind: keyof TablePermissions,
    entries: RoleEntries<T>,
    resolve: (p: T, role: string) => Resolved,
  ) => {
    // Equal permissions become the same object, so that inheritance can find out whether the parents' permissions are
    // equal. Each permission is still resolved, because a generated column is rejected if it is named, but not if it is
    // included in `*`.
    const permissionsByText = new Map<string, Resolved>()
    for (const { role, permission } of entries) {
      const text = canonicalText(permission, table)
      const subject = {
        type: `${kind}_permission`,
        name: `${kind}_permission ${role} in table ${catalogKey(table)} in source ${table.source.name}`,
        source: table.source.name,
        prefix: `in table "${catalogKey(table)}": in permission for role "${role}"`,
        definition: { table: table.metadata.table, role, permission },
      }
      const resolvedPermissions = errors.attempt(subject, () => resolve(permission, role))
      if (!resolvedPermissions || !table.isInSchema) continue
      const sharedPermissions = permissionsByText.get(text) ?? resolvedPermissions
      permissionsByText.set(text, sharedPermissions)
      const existing = table.permissions.get(role) ?? NO_PERMISSIONS
      table.permissions.set(role, { ...existing, ...sharedPermissions })
    }
  }
}

type PermissionMetadata = { columns?: '*' | readonly string[] | null | undefined; filter?: unknown }

/**
 * Returns the permission as text that is the same for equal permissions: independent of the order of columns and keys,
 * with `*` replaced by all columns.
 */
function canonicalText(permission: PermissionMetadata, table: UnfinishedTable): string {
  const { columns } = permission
  const all = [...table.columns.values()].map(({ name }) => name)
  const columnNames = columns === '*' ? all : columns
  return JSON.stringify({ ...permission, columns: columnNames?.toSorted() }, sortKeys)
}

function sortKeys(_key: string, value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted()) : value
}

type RoleEntries<T> = readonly { role: string; permission: T }[]
type Resolved = Partial<TablePermissions>

/** The permissions of a role that has none on a table. */
export const NO_PERMISSIONS: TablePermissions = {
  select: null,
  insert: null,
  update: null,
  delete: null,
}

/**
 * Returns admin's permissions: everything, on every row. A logical model can only be read, and a table that is not in
 * the schema has no permissions.
 */
export function allPermissions(table: Table): TablePermissions {
  if (!table.isInSchema) return NO_PERMISSIONS
  const columns = [...table.columns.values()]
  const all = new Set(columns)
  const select: SelectPermission = {
    columns: new Map(columns.map((column) => [column, null])),
    computedFields: new Map([...table.computedFields.values()].map((field) => [field, null])),
    filter: TRUE,
    limit: null,
    allowsAggregations: true,
    queryRoots: null,
    subscriptionRoots: null,
  }
  if (table.isLogicalModel) return { ...NO_PERMISSIONS, select }
  return {
    select,
    insert: { columns: all, check: TRUE, presets: [], ...UNRESTRICTED },
    update: { columns: all, filter: TRUE, check: TRUE, presets: [], ...UNRESTRICTED },
    delete: { filter: TRUE, ...UNRESTRICTED },
  }
}

/** The common part of admin's permissions to change rows. */
const UNRESTRICTED = { backendOnly: false, validation: null } as const

/** Resolves a select permission on a table or a logical model. */
export function resolveSelectPermission(
  permission: SelectPermissionMetadata,
  table: Table,
  tables: ReadonlyMap<string, Table>,
): SelectPermission {
  const { limit = null } = permission
  if (limit !== null && limit < 0) throw new Inconsistent('unexpected negative value')
  const scalarFields = permission.computed_fields.map((name) => requireScalarField(table, name))
  const tableFields = [...table.computedFields.values()].filter(
    ({ returns }) => returns.kind === 'table',
  )
  return {
    columns: new Map(namedColumns(permission.columns, table).map((column) => [column, null])),
    computedFields: new Map([...scalarFields, ...tableFields].map((field) => [field, null])),
    filter: parseExpression(permission.filter, table, tables),
    limit,
    allowsAggregations: permission.allow_aggregations,
    queryRoots: permission.query_root_fields ? new Set(permission.query_root_fields) : null,
    subscriptionRoots: permission.subscription_root_fields
      ? new Set(permission.subscription_root_fields)
      : null,
  }
}

/** Rejects root fields for which the role lacks permissions; Hasura rejects them too. */
function refuseRootFields(select: SelectPermission, table: UnfinishedTable, role: string): void {
  const { queryRoots, subscriptionRoots, columns } = select
  const enables = (root: 'select_by_pk' | 'select_aggregate') =>
    queryRoots?.has(root) || subscriptionRoots?.has(root)
  const { primaryKey } = table
  if (enables('select_by_pk') && !primaryKey?.every((column) => columns.has(column)))
    throw new Inconsistent(
      `The "select_by_pk" field cannot be included in the query_root_fields or subscription_root_fields because the role "${role}" does not have access to the primary key of the table "${catalogKey(table)}" in the source "${table.source.name}"`,
    )
  if (enables('select_aggregate') && !select.allowsAggregations)
    // Hasura's message also has two spaces here.
    throw new Inconsistent(
      'The "select_aggregate" root field can only be enabled in the query_root_fields or  the subscription_root_fields when "allow_aggregations" is set to true',
    )
}

function resolveInsertPermission(
  permission: InsertPermissionMetadata,
  table: UnfinishedTable,
  tables: UnfinishedTables,
): Omit<InsertPermission, 'validation'> {
  const presets = resolvePresets(permission.set, table)
  return {
    columns: writableColumns(permission.columns ?? '*', table, presets, 'insert'),
    check: parseExpression(permission.check, table, tables),
    presets,
    backendOnly: permission.backend_only,
  }
}

function resolveUpdatePermission(
  permission: UpdatePermissionMetadata,
  table: UnfinishedTable,
  tables: UnfinishedTables,
): Omit<UpdatePermission, 'validation'> {
  const presets = resolvePresets(permission.set, table)
  return {
    columns: writableColumns(permission.columns, table, presets, 'update'),
    filter: parseExpression(permission.filter, table, tables),
    check: permission.check == null ? null : parseExpression(permission.check, table, tables),
    presets,
    backendOnly: permission.backend_only,
  }
}

/** Returns the webhook that validates the input, if there is one. */
function resolveValidation(
  { validate_input: webhook }: { validate_input?: InputValidationMetadata | null | undefined },
  environment: Environment,
): InputValidation | null {
  if (webhook == null) return null
  const { url, headers, forward_client_headers, timeout } = webhook.definition
  const problem = missingVariablesMessage({ address: url, headers }, environment)
  if (problem !== null) throw new Inconsistent(problem)
  return { url, headers, forwardsClientHeaders: forward_client_headers, timeoutMs: timeout * 1000 }
}

/**
 * Returns the columns that a role may write: the granted columns without the preset columns. Rejects a generated column
 * that the permission names.
 */
function writableColumns(
  columns: '*' | string[],
  table: UnfinishedTable,
  presets: readonly Preset[],
  operation: 'insert' | 'update',
): Set<Column> {
  const presetColumns = new Set(presets.map(({ column }) => column))
  const generatedColumn =
    columns === '*' ? undefined : namedColumns(columns, table).find((c) => c.isGenerated)
  if (generatedColumn)
    throw new Inconsistent(
      `Column "${generatedColumn.name}" is not ${operation === 'insert' ? 'insertable' : 'updatable'} and so cannot have ${operation} permissions defined`,
    )
  return new Set(namedColumns(columns, table).filter((column) => !presetColumns.has(column)))
}

function namedColumns(names: '*' | readonly string[], table: Table): Column[] {
  return names === '*'
    ? [...table.columns.values()]
    : names.map((name) => requireColumn(table, name))
}

function requireColumn(table: Table, name: string): Column {
  const column = [...table.columns.values()].find((candidate) => candidate.name === name)
  if (!column) throw new Inconsistent(`column "${name}" does not exist`)
  return column
}

function requireScalarField(table: Table, name: string): ComputedField {
  const field = table.computedFields.get(name)
  if (!field) throw new Inconsistent(`computed field "${name}" does not exist`)
  if (field.returns.kind === 'table')
    throw new Inconsistent(
      `select permissions on computed field "${name}" are auto-derived from the permissions on its returning table "${catalogKey(field.returns.table)}" and cannot be specified manually`,
    )
  return field
}

function resolvePresets(set: Readonly<Record<string, unknown>>, table: UnfinishedTable): Preset[] {
  return Object.entries(set).map(([name, value]) => {
    const column = requireColumn(table, name)
    requireEnumValue(value, column.enumType)
    return { column, value: constantScalar(column.type, value) }
  })
}
