import { z } from 'zod'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { SourceModel, Table } from '../../../compiler/model/model.ts'
import { isGraphQLName, unnamableMessage } from '../../../compiler/model/tables/tables.ts'
import { EngineError } from '../../../errors.ts'
import { refuseNewInconsistencies } from '../../../metadata-store/consistency-rules.ts'
import { dropRelationship } from '../../../metadata-store/edit/drops.ts'
import { addEntry, pickArgs } from '../../../metadata-store/edit/edits.ts'
import { findEntry } from '../../../metadata-store/edit/entries.ts'
import { QualifiedKey } from '../../../metadata-store/edit/keys.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import {
  arrayRelationships,
  findRelationshipPlace,
  objectRelationships,
  sourceNameIn,
} from '../../../metadata-store/edit/places.ts'
import { renameInDocument } from '../../../metadata-store/follow-schema/renames.ts'
import { shortKey } from '../../../postgres/catalog.ts'
import type { Engine } from '../../../runtime/engine.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import type { EngineServices } from '../../http/endpoint.ts'
import { applyDrop } from '../apply-edit.ts'
import {
  type Command,
  type CommandRequest,
  type EditCommand,
  requireVersion,
  SUCCESS,
} from '../command.ts'

const relationshipEntry = pickArgs('name', 'using', 'comment')

/** Commands on relationships between tables. */
export const relationshipCommands: readonly Command[] = [
  {
    type: 'pg_create_object_relationship',
    edit: addEntry(objectRelationships, relationshipEntry),
    check: requireFreeName,
    createdType: 'object_relation',
  },
  {
    type: 'pg_create_array_relationship',
    edit: addEntry(arrayRelationships, relationshipEntry),
    check: requireFreeName,
    createdType: 'array_relation',
  },
  { type: 'pg_drop_relationship', edit: dropRelationship, apply: applyDrop },
  { type: 'pg_rename_relationship', edit: renameEntry, apply: applyRename },
  { type: 'pg_set_relationship_comment', edit: setRelationshipComment },
]

const NewRelationship = z.object({ table: QualifiedKey, name: z.string() })

/** Checks that no column or computed field of the table has a new relationship's name. @throws already-exists, validation-failed */
export function requireFreeName(args: unknown, { engine }: EngineServices) {
  const { table: qualifiedKey, name } = parseArgs(NewRelationship, args)
  requireGraphQLName(name)
  const key = shortKey(qualifiedKey)
  const table = engine.schemaCache().model.sources.get(sourceNameIn(args))?.tables.get(key)
  if (!table || !isFieldName(table, name)) return
  const message = `field with name "${name}" already exists in table "${key}"`
  throw new EngineError('already-exists', message, { path: '$.args' })
}

function requireGraphQLName(name: string) {
  if (isGraphQLName(name)) return
  throw new EngineError('validation-failed', unnamableMessage(name), { path: '$.args' })
}

/** Reports whether a column or computed field has the name. */
function isFieldName({ columns, computedFields }: Table, name: string): boolean {
  return [...columns.values()].some((column) => column.name === name) || computedFields.has(name)
}

const EntryRename = z.object({ name: z.string(), new_name: z.string() })

/** Renames a relationship's entry, but not its uses in permissions. */
function renameEntry(document: MetadataDocument, args: unknown) {
  const { name, new_name } = parseArgs(EntryRename, args)
  findEntry(findRelationshipPlace(document, args, name), name).name = new_name
}

const Rename = EntryRename.extend({ table: QualifiedKey })

/** Renames a relationship, including its uses in the conditions of permissions. */
async function applyRename(
  { edit }: EditCommand,
  { args, resource_version }: CommandRequest,
  { services: { engine, store } }: AuthenticatedRequest,
) {
  requireVersion(resource_version, store.current().resourceVersion)
  edit(structuredClone(store.current().document), args)
  const source = requireServedSource(engine, sourceNameIn(args))
  const { table: qualifiedKey, name, new_name } = parseArgs(Rename, args)
  requireGraphQLName(new_name)
  const key = shortKey(qualifiedKey)
  const table = source.tables.get(key)
  if (table && (table.relationships.has(new_name) || isFieldName(table, new_name))) {
    const message = `cannot rename relationship "${name}" to "${new_name}" in table "${key}" as a column/relationship with the name already exists`
    throw new EngineError('already-exists', message, { path: '$.args' })
  }
  const fields = new Map([[key, new Map([[name, new_name]])]])
  await store.change(
    (document) => renameInDocument(document, { tables: new Map(), fields }, source),
    refuseNewInconsistencies([null]),
  )
  return SUCCESS
}

function requireServedSource({ schemaCache }: Engine, name: string): SourceModel {
  const { model, source } = schemaCache()
  const sourceModel = model.sources.get(name)
  if (!sourceModel) source(name)
  return requireValue(sourceModel, 'the model of a source')
}

const Comment = z.object({ relationship: z.string(), comment: z.string().nullish() })

/** Sets a relationship's comment, or removes it if the arguments have none. */
function setRelationshipComment(document: MetadataDocument, args: unknown) {
  const { relationship: name, comment } = parseArgs(Comment, args)
  findEntry(findRelationshipPlace(document, args, name), name).comment = comment
}
