import { z } from 'zod'
import { entriesOf, findEntry } from './entries.ts'
import { keyedBy } from './keys.ts'
import type { MetadataDocument } from './metadata-document.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'
import { remoteSchemas } from './places.ts'

const OfRemoteSchema = z.object({ remote_schema: z.string() })

/** The permissions of the remote schema that the command names. */
export function remoteSchemaPermissions(document: MetadataDocument, args: unknown): Place {
  const { remote_schema: of } = parseArgs(OfRemoteSchema, args)
  const owner = findEntry(remoteSchemas(document, args), of)
  const label = 'remote_schema_permissions'
  return { owner, list: 'permissions', keyOf: keyedBy('role'), of, label }
}

const OfType = OfRemoteSchema.extend({ type_name: z.string() })

/** The relationships of the type of a remote schema that the command names. */
export function typeRelationships(document: MetadataDocument, args: unknown): Place {
  const { remote_schema, type_name } = parseArgs(OfType, args)
  const schema = findEntry(remoteSchemas(document, args), remote_schema)
  const owner = typeEntry(schema, type_name)
  const label = 'type_relationships'
  return { owner, list: 'relationships', keyOf: keyedBy('name'), of: type_name, label }
}

/** The type's entry, which is made if there is none. */
function typeEntry(schema: Node, typeName: string): Node {
  const entries = entriesOf(schema, 'remote_relationships')
  const known = entries.find(({ type_name }) => type_name === typeName)
  const entry = known ?? { type_name: typeName }
  schema.remote_relationships = known ? entries : [...entries, entry]
  return entry
}

/** Removes the entries of types that have no relationships. */
export function dropEmptyTypes(document: MetadataDocument, args: unknown): void {
  const { remote_schema } = parseArgs(OfRemoteSchema, args)
  const schema = findEntry(remoteSchemas(document, args), remote_schema)
  const left = entriesOf(schema, 'remote_relationships').filter(
    (entry) => entriesOf(entry, 'relationships').length > 0,
  )
  if (left.length > 0) schema.remote_relationships = left
  else delete schema.remote_relationships
}
