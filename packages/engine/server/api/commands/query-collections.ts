import { z } from 'zod'
import { EngineError } from '../../../errors.ts'
import { quotedNames } from '../../../json/quoted-names.ts'
import { MetadataName } from '../../../metadata/primitives.ts'
import { SavedQuery } from '../../../metadata/saved-queries.ts'
import {
  addEntry,
  dropEntry,
  inSequence,
  pickArgs,
  updateEntry,
} from '../../../metadata-store/edit/edits.ts'
import { editEntries, findEntry, hasEntry } from '../../../metadata-store/edit/entries.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import type { Node } from '../../../metadata-store/edit/node.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import {
  Args,
  allowList,
  collectionQueries,
  queryCollections,
} from '../../../metadata-store/edit/places.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { applyEdit } from '../apply-edit.ts'
import type { Command, CommandRequest, EditCommand } from '../command.ts'

/** Commands on query collections, and on the allow list, which is a list of collections. */
export const queryCollectionCommands: readonly Command[] = [
  {
    type: 'create_query_collection',
    edit: inSequence(
      requireDistinctNames,
      addEntry(queryCollections, pickArgs('name', 'definition', 'comment')),
    ),
  },
  { type: 'drop_query_collection', edit: dropCollection },
  { type: 'rename_query_collection', edit: renameCollection },
  { type: 'add_query_to_collection', edit: addEntry(collectionQueries, queryEntry) },
  { type: 'drop_query_from_collection', edit: dropEntry(collectionQueries) },
  {
    type: 'add_collection_to_allowlist',
    edit: inSequence(requireCollection, addEntry(allowList, pickArgs('collection', 'scope'))),
    apply: addUnlessListed,
  },
  {
    type: 'drop_collection_from_allowlist',
    edit: inSequence(requireCollection, dropEntry(allowList)),
  },
  {
    type: 'update_scope_of_collection_in_allowlist',
    edit: inSequence(requireCollection, updateEntry(allowList, scopeMembers)),
  },
]

const NewCollection = z.object({
  definition: z.object({ queries: z.array(z.object({ name: z.string() })) }),
})

/** Rejects a collection with two queries of the same name. @throws not-supported */
function requireDistinctNames(_document: MetadataDocument, args: unknown) {
  const { definition } = parseArgs(NewCollection, args)
  const names = definition.queries.map(({ name }) => name)
  const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  if (duplicates.size === 0) return
  const message = `found duplicate query names ${quotedNames(duplicates)}`
  throw new EngineError('not-supported', message, { path: '$.args.definition.queries' })
}

const CollectionArgs = z.object({ collection: z.string(), cascade: z.boolean().nullish() })

/**
 * Removes a collection; with `cascade`, also from the allow list. @throws dependency-error if it is in the list, without
 * `cascade`
 */
function dropCollection(document: MetadataDocument, args: unknown) {
  requireCollection(document, args)
  const { collection: name, cascade } = parseArgs(CollectionArgs, args)
  const list = allowList(document, args)
  if (hasEntry(list, name) && !cascade) {
    const message = `query collection with name "${name}" is present in the allowlist; cannot proceed to drop. please use cascade to confirm you wish to drop it from the allowlist as well`
    throw new EngineError('dependency-error', message, { path: '$.args.collection' })
  }
  editEntries(list, (entries) => entries.filter(({ collection }) => collection !== name))
  editEntries(queryCollections(document, args), (entries) =>
    entries.filter((entry) => entry.name !== name),
  )
}

/** @throws not-exists if the command's collection does not exist */
function requireCollection(document: MetadataDocument, args: unknown) {
  const { collection } = parseArgs(CollectionArgs, args)
  if (hasEntry(queryCollections(document, args), collection)) return
  const message = `query collection with name "${collection}" does not exist`
  throw new EngineError('not-exists', message, { path: '$.args.collection' })
}

const CollectionRename = z.object({ name: z.string(), new_name: z.string() })

const WithRestEndpoints = z.object({
  rest_endpoints: z
    .array(
      z.looseObject({
        definition: z.looseObject({ query: z.looseObject({ collection_name: z.string() }) }),
      }),
    )
    .optional(),
})

/** Renames a collection, including its uses in the allow list and in REST endpoints. @throws already-exists */
function renameCollection(document: MetadataDocument, args: unknown) {
  const { name, new_name } = parseArgs(CollectionRename, args)
  const place = queryCollections(document, args)
  const collection = findEntry(place, name)
  if (hasEntry(place, new_name)) {
    const message = `query collection with name "${new_name}" already exists`
    throw new EngineError('already-exists', message, { path: '$.args.new_name' })
  }
  collection.name = new_name
  const list = allowList(document, args)
  if (hasEntry(list, name)) findEntry(list, name).collection = new_name
  const { rest_endpoints = [] } = parseArgs(WithRestEndpoints, document)
  for (const { definition } of rest_endpoints)
    if (definition.query.collection_name === name) definition.query.collection_name = new_name
  if (rest_endpoints.length > 0) document.rest_endpoints = rest_endpoints
}

const NewQuery = z.object({ query_name: MetadataName, query: SavedQuery })

function queryEntry(args: Node): Node {
  const { query_name, query } = parseArgs(NewQuery, args)
  return { name: query_name, query }
}

/** Adds a collection to the allow list. If it is already there, leaves it unchanged and says so in the response. */
async function addUnlessListed(
  command: EditCommand,
  request: CommandRequest,
  call: AuthenticatedRequest,
) {
  const { collection } = parseArgs(z.object({ collection: z.string() }), request.args)
  const { document } = call.services.store.current()
  if (!hasEntry(allowList(document, request.args), collection))
    return applyEdit(command, request, call)
  const message = `collection "${collection}" already exists in the allowlist, scope ignored; to change scope, use update_scope_of_collection_in_allowlist`
  return { message }
}

const NewScope = z.object({ scope: Args, collection: z.unknown() })

/** Returns an allow list entry with its new scope. The command requires a scope. */
function scopeMembers(args: Node): Node {
  const { collection, scope } = parseArgs(NewScope, args)
  return { collection, scope }
}
