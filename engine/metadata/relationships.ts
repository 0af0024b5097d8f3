import { z } from 'zod'
import { Comment, MetadataName, QualifiedName } from './primitives.ts'

const ManualRelationship = z.object({
  remote_table: QualifiedName,
  column_mapping: z.record(z.string(), z.string()),
  insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
})

const ForeignKey = z.object({
  table: QualifiedName,
  column: z.string().optional(),
  columns: z.array(z.string()).optional(),
})

/** A relationship to at most one row. */
export const ObjectRelationship = z.object({
  name: MetadataName,
  comment: Comment,
  using: z.object({
    foreign_key_constraint_on: z.union([z.string(), z.array(z.string()), ForeignKey]).optional(),
    manual_configuration: ManualRelationship.optional(),
  }),
})

/** A relationship to any number of rows. */
export const ArrayRelationship = z.object({
  name: MetadataName,
  comment: Comment,
  using: z.object({
    foreign_key_constraint_on: ForeignKey.optional(),
    manual_configuration: ManualRelationship.optional(),
  }),
})

export type ObjectRelationshipMetadata = z.infer<typeof ObjectRelationship>
export type ArrayRelationshipMetadata = z.infer<typeof ArrayRelationship>
