import { z } from 'zod'
import { permissionsByRole, SelectPermission } from './permissions.ts'
import { Comment } from './primitives.ts'
import { ArrayRelationship, ObjectRelationship } from './relationships.ts'

const Field = z.strictObject({
  name: z.string(),
  description: Comment,
  type: z.looseObject({
    scalar: z.string().optional(),
    logical_model: z.string().optional(),
    array: z.unknown().optional(),
    nullable: z.boolean().default(false),
  }),
})

/** The short form of a field that is a scalar, which Hasura's documentation has. */
const ScalarField = z
  .strictObject({
    name: z.string(),
    description: Comment,
    type: z.string(),
    nullable: z.boolean().default(false),
  })
  .transform(({ type: scalar, nullable, ...rest }) => ({ ...rest, type: { scalar, nullable } }))

/** The type of the rows that native queries return. */
export const LogicalModel = z.strictObject({
  name: z.string(),
  description: Comment,
  fields: z.array(z.union([Field, ScalarField])).default([]),
  select_permissions: permissionsByRole('select', SelectPermission),
})

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
  returns: z.string(),
  object_relationships: z.array(ObjectRelationship).default([]),
  array_relationships: z.array(ArrayRelationship).default([]),
})

export type LogicalModelMetadata = z.infer<typeof LogicalModel>
export type NativeQueryMetadata = z.infer<typeof NativeQuery>
