import { z } from 'zod'
import { permissionsByRole, SelectPermission } from './permissions.ts'
import { Comment } from './primitives.ts'
import { NativeQueryRelationship } from './relationships.ts'

/** The type of a field: a scalar, the objects of a logical model, or a list of either. */
const FieldType = z.strictObject({
  scalar: z.string().optional(),
  logical_model: z.string().optional(),
  array: z
    .strictObject({
      scalar: z.string().optional(),
      logical_model: z.string().optional(),
      nullable: z.boolean().default(false),
    })
    .optional(),
  nullable: z.boolean().default(false),
})

const Field = z.strictObject({ name: z.string(), description: Comment, type: FieldType })

/** The short form of a scalar field from Hasura's documentation. */
const ScalarField = z
  .strictObject({
    name: z.string(),
    description: Comment,
    type: z.string(),
    nullable: z.boolean().default(false),
  })
  .transform(({ type: scalar, nullable, ...rest }) => {
    const type: z.infer<typeof FieldType> = { scalar, nullable }
    return { ...rest, type }
  })

/** The fields of rows, and the permissions to read them. */
const InlineLogicalModel = z.strictObject({
  fields: z.array(z.union([Field, ScalarField])).default([]),
  select_permissions: permissionsByRole('select', SelectPermission),
})

/** The type of the rows that native queries return. */
export const LogicalModel = InlineLogicalModel.extend({ name: z.string(), description: Comment })

/** An SQL statement that is served as a root field. */
export const NativeQuery = z.strictObject({
  root_field_name: z.string(),
  type: z.enum(['query']).default('query'),
  code: z.string(),
  comment: Comment,
  arguments: z
    .record(
      z.string(),
      z.strictObject({
        type: z.string(),
        nullable: z.boolean().default(false),
        description: Comment,
      }),
    )
    .default({}),
  returns: z.union([z.string(), InlineLogicalModel]),
  object_relationships: z.array(NativeQueryRelationship).default([]),
  array_relationships: z.array(NativeQueryRelationship).default([]),
})

export type LogicalModelMetadata = z.infer<typeof LogicalModel>
export type NativeQueryMetadata = z.infer<typeof NativeQuery>

/**
 * Returns the name of the logical model that describes a native query's rows. An inline model has the name of the root
 * field.
 */
export function modelName({ root_field_name, returns }: NativeQueryMetadata): string {
  return typeof returns === 'string' ? returns : root_field_name
}
