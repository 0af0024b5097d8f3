import { z } from 'zod'
import { entriesOf, findEntry } from './entries.ts'
import { keyedBy } from './keys.ts'
import type { MetadataDocument } from './metadata-document.ts'
import type { Node, Place } from './node.ts'
import { parseArgs } from './parse-args.ts'
import { remoteSchemas } from './places.ts'

const RemoteSchemaArgs = z.object({ remote_schema: z.string() })

/** The permissions of the remote schema that the command names. */
export function remoteSchemaPermissions(document: MetadataDocument, args: unknown): Place {
  const { remote_schema: of } = parseArgs(RemoteSchemaArgs, args)
  const owner = findEntry(remoteSchemas(document, args), of)
  const label = 'remote_schema_permissions'
  return { owner, list: 'permissions', keyOf: keyedBy('role'), of, label }
}

const TypeArgs = RemoteSchemaArgs.extend({ type_name: z.string() })

/** The relationships of the remote schema's type that the command names. */
export function typeRelationships(document: MetadataDocument, args: unknown): Place {
  const { remote_schema, type_name } = parseArgs(TypeArgs, args)
  const schema = findEntry(remoteSchemas(document, args), remote_schema)
  const owner = typeEntry(schema, type_name)
  const label = 'type_relationships'
  return { owner, list: 'relationships', keyOf: keyedBy('name'), of: type_name, label }
}

/** Returns the entry of a type. Creates it if there is none. */
function typeEntry(schema: Node, typeName: string): Node {
  const entries = entriesOf(schema, 'remote_relationships')
  const existingEntry = entries.find(({ type_name }) => type_name === typeName)
  const entry = existingEntry ?? { type_name: typeName }
  schema.remote_relationships = existingEntry ? entries : [...entries, entry]
  return entry
}

/** Removes the entries of types without relationships. */
export function dropEmptyTypes(document: MetadataDocument, args: unknown): void {
  const { remote_schema } = parseArgs(RemoteSchemaArgs, args)
  const schema = findEntry(remoteSchemas(document, args), remote_schema)
  const remainingEntries = entriesOf(schema, 'remote_relationships').filter(
    (entry) => entriesOf(entry, 'relationships').length > 0,
  )
  if (remainingEntries.length > 0) schema.remote_relationships = remainingEntries
  else delete schema.remote_relationships
}
