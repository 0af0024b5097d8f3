import { z } from 'zod'
import { Comment, MetadataName, QualifiedName } from './primitives.ts'

/**
 * A relationship without a foreign key: the related table or native query, and the pairs of columns with equal values.
 */
const ColumnMapping = z.strictObject({
  source: z.string().optional(),
  remote_table: QualifiedName.optional(),
  remote_native_query: z.string().optional(),
  column_mapping: z.record(z.string(), z.string()),
  insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
})

const ManualRelationship = ColumnMapping.superRefine((relationship, context) => {
  const { remote_table, remote_native_query } = relationship
  if (remote_table === undefined && remote_native_query === undefined)
    context.addIssue({
      code: 'custom',
      message: 'key "remote_table" not found',
      input: relationship,
    })
})

const ForeignKey = z.strictObject({
  table: QualifiedName,
  column: z.string().optional(),
  columns: z.array(z.string()).optional(),
})

type Using = { foreign_key_constraint_on?: unknown; manual_configuration?: unknown }

/** Rejects a relationship unless exactly one of the two keys says how rows are joined. Rejects an empty list of columns. */
function requireJoin(
  { foreign_key_constraint_on: on, manual_configuration }: Using,
  context: z.RefinementCtx,
) {
  if (Array.isArray(on) && on.length === 0)
    context.addIssue({ code: 'custom', message: 'parsing NonEmpty failed, unexpected empty list' })
  const joins = [on, manual_configuration].filter((join) => join !== undefined)
  if (joins.length !== 1)
    context.addIssue({
      code: 'custom',
      message: `${joins.length === 0 ? 'atleast' : 'only'} one of foreign_key_constraint_on/manual_configuration should be present`,
    })
}

/** A relationship to at most one row. */
export const ObjectRelationship = z.strictObject({
  name: MetadataName,
  comment: Comment,
  using: z
    .strictObject({
      foreign_key_constraint_on: z.union([z.string(), z.array(z.string()), ForeignKey]).optional(),
      manual_configuration: ManualRelationship.optional(),
    })
    .superRefine(requireJoin),
})

/** A relationship to any number of rows. */
export const ArrayRelationship = z.strictObject({
  name: MetadataName,
  comment: Comment,
  using: z
    .strictObject({
      foreign_key_constraint_on: ForeignKey.optional(),
      manual_configuration: ManualRelationship.optional(),
    })
    .superRefine(requireJoin),
})

/** A relationship from the rows of a native query. */
export const NativeQueryRelationship = z.strictObject({
  name: MetadataName,
  comment: Comment,
  using: ManualRelationship,
})

export type ManualRelationshipMetadata = z.infer<typeof ManualRelationship>
export type NativeQueryRelationshipMetadata = z.infer<typeof NativeQueryRelationship>
export type ObjectRelationshipMetadata = z.infer<typeof ObjectRelationship>
export type ArrayRelationshipMetadata = z.infer<typeof ArrayRelationship>
