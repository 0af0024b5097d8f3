import { z } from 'zod'
import { distinctEntries } from './distinct-entries.ts'
import { Expression } from './expressions.ts'
import { InputValidationWebhook } from './input-validation.ts'
import { Comment, MetadataName } from './primitives.ts'

/** Creates the schema of a list of permissions of one kind, at most one for each role. */
export function permissionsByRole<T extends z.ZodType>(kind: string, permission: T) {
  const entry = z.strictObject({ role: MetadataName, permission, comment: Comment })
  return distinctEntries(`${kind} permissions`, entry, ({ role }) => role).default([])
}

const Columns = z.union([z.literal('*'), z.array(z.string())])

/**
 * The permission to read. Every kind of permission requires its filter (for an insert, its check), even if the filter
 * is `{}`. Otherwise a forgotten or misspelt filter would open the whole table.
 */
export const SelectPermission = z.strictObject({
  columns: Columns,
  computed_fields: z.array(z.string()).default([]),
  filter: Expression,
  limit: z.number().int().nullish(),
  allow_aggregations: z.boolean().default(false),
  query_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate'])).nullish(),
  subscription_root_fields: z
    .array(z.enum(['select', 'select_by_pk', 'select_aggregate', 'select_stream']))
    .nullish(),
})

export const InsertPermission = z.strictObject({
  check: Expression,
  columns: Columns.nullish(),
  set: z.record(z.string(), z.unknown()).default({}),
  backend_only: z.boolean().default(false),
  validate_input: InputValidationWebhook.nullish(),
})

export const UpdatePermission = z.strictObject({
  columns: Columns,
  filter: Expression,
  check: Expression.nullish(),
  set: z.record(z.string(), z.unknown()).default({}),
  backend_only: z.boolean().default(false),
  validate_input: InputValidationWebhook.nullish(),
})

export const DeletePermission = z.strictObject({
  filter: Expression,
  backend_only: z.boolean().default(false),
  validate_input: InputValidationWebhook.nullish(),
})

export type SelectPermissionMetadata = z.infer<typeof SelectPermission>
export type InsertPermissionMetadata = z.infer<typeof InsertPermission>
export type UpdatePermissionMetadata = z.infer<typeof UpdatePermission>
