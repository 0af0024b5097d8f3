import { z } from 'zod'
import { distinctEntries } from './distinct-entries.ts'
import {
  DeletePermission,
  InsertPermission,
  permissionsByRole,
  SelectPermission,
  UpdatePermission,
} from './permissions.ts'
import { Comment, GraphQLName, MetadataName, QualifiedName } from './primitives.ts'
import { ArrayRelationship, ObjectRelationship } from './relationships.ts'
import { RemoteRelationship } from './remote-schemas.ts'
import { RootFields } from './root-fields.ts'

/** A function of a row that is served as a field of the row. */
export const ComputedField = z.strictObject({
  name: MetadataName,
  comment: Comment,
  definition: z.strictObject({
    function: QualifiedName,
    table_argument: z.string().nullish(),
    session_argument: z.string().nullish(),
  }),
})

const TableConfiguration = z.strictObject({
  custom_name: GraphQLName.nullish(),
  custom_column_names: z.record(z.string(), GraphQLName).default({}),
  column_config: z
    .record(z.string(), z.strictObject({ custom_name: GraphQLName.nullish(), comment: Comment }))
    .default({}),
  custom_root_fields: RootFields.default({}),
  comment: Comment,
})

const nameOf = ({ name }: { name: string }) => name

const EventTrigger = z.looseObject({ name: z.string() })

/** A tracked table with its configuration, relationships, permissions and triggers. */
export const Table = z.strictObject({
  table: QualifiedName,
  is_enum: z.boolean().default(false),
  configuration: TableConfiguration.prefault({}),
  object_relationships: distinctEntries('object relationships', ObjectRelationship, nameOf).default(
    [],
  ),
  array_relationships: distinctEntries('array relationships', ArrayRelationship, nameOf).default(
    [],
  ),
  remote_relationships: distinctEntries('remote relationships', RemoteRelationship, nameOf).default(
    [],
  ),
  computed_fields: distinctEntries('computed fields', ComputedField, nameOf).default([]),
  select_permissions: permissionsByRole('select', SelectPermission),
  insert_permissions: permissionsByRole('insert', InsertPermission),
  update_permissions: permissionsByRole('update', UpdatePermission),
  delete_permissions: permissionsByRole('delete', DeletePermission),
  event_triggers: z.array(EventTrigger).default([]),
  apollo_federation_config: z.unknown().optional(),
  logical_model: z.unknown().optional(),
})

export type TableMetadata = z.infer<typeof Table>
export type ComputedFieldMetadata = z.infer<typeof ComputedField>
