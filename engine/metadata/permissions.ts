import { z } from 'zod'
import { Comment, MetadataName } from './primitives.ts'

/** A list of permissions of one kind, one for each role. */
export function permissionsByRole<T extends z.ZodType>(permission: T) {
  return z.array(z.object({ role: MetadataName, permission, comment: Comment })).default([])
}

/** A boolean expression; its grammar depends on the table, so the model parses it. */
const Expression = z.record(z.string(), z.unknown())

const Columns = z.union([z.literal('*'), z.array(z.string())])

/** What a role may read. */
export const SelectPermission = z.object({
  columns: Columns.default([]),
  computed_fields: z.array(z.string()).default([]),
  filter: Expression.default({}),
  limit: z.number().int().nonnegative().nullish(),
  allow_aggregations: z.boolean().default(false),
  query_root_fields: z.array(z.string()).nullish(),
  subscription_root_fields: z.array(z.string()).nullish(),
})

/** What a role may insert. */
export const InsertPermission = z.object({
  check: Expression.default({}),
  columns: Columns.nullish(),
  set: z.record(z.string(), z.unknown()).default({}),
  backend_only: z.boolean().default(false),
  validate_input: z.unknown().optional(),
})

/** What a role may update. */
export const UpdatePermission = z.object({
  columns: Columns.default([]),
  filter: Expression.default({}),
  check: Expression.nullish(),
  set: z.record(z.string(), z.unknown()).default({}),
  backend_only: z.boolean().default(false),
  validate_input: z.unknown().optional(),
})

/** What a role may delete. */
export const DeletePermission = z.object({
  filter: Expression.default({}),
  backend_only: z.boolean().default(false),
  validate_input: z.unknown().optional(),
})

export type SelectPermissionMetadata = z.infer<typeof SelectPermission>
export type InsertPermissionMetadata = z.infer<typeof InsertPermission>
export type UpdatePermissionMetadata = z.infer<typeof UpdatePermission>
export type DeletePermissionMetadata = z.infer<typeof DeletePermission>
