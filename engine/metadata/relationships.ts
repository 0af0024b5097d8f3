import { z } from 'zod'
import { Comment, MetadataName, QualifiedName } from './primitives.ts'

const ManualRelationship = z.strictObject({
  source: z.string().optional(),
  remote_table: QualifiedName,
  column_mapping: z.record(z.string(), z.string()),
  insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
})

const ForeignKey = z.strictObject({
  table: QualifiedName,
  column: z.string().optional(),
  columns: z.array(z.string()).optional(),
})

/** A relationship to at most one row. */
export const ObjectRelationship = z.strictObject({
  name: MetadataName,
  comment: Comment,
  using: z.strictObject({
    foreign_key_constraint_on: z.union([z.string(), z.array(z.string()), ForeignKey]).optional(),
    manual_configuration: ManualRelationship.optional(),
  }),
})

/** A relationship to any number of rows. */
export const ArrayRelationship = z.strictObject({
  name: MetadataName,
  comment: Comment,
  using: z.strictObject({
    foreign_key_constraint_on: ForeignKey.optional(),
    manual_configuration: ManualRelationship.optional(),
  }),
})

export type ObjectRelationshipMetadata = z.infer<typeof ObjectRelationship>
export type ArrayRelationshipMetadata = z.infer<typeof ArrayRelationship>
