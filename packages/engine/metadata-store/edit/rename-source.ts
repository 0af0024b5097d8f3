import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import { isList, isRecord } from '../../json/record.ts'
import { editEntries, findEntry, hasEntry } from './entries.ts'
import { keyedBy } from './keys.ts'
import type { MetadataDocument } from './metadata-document.ts'
import type { Node } from './node.ts'
import { parseArgs } from './parse-args.ts'
import { sources } from './places.ts'

const RenameArgs = z.object({ name: z.string(), new_name: z.string() })

/**
 * Renames a source, including its uses in relationships.
 *
 * @throws not-exists, already-exists
 */
export function renameSource(document: MetadataDocument, args: unknown) {
  const { name, new_name } = parseArgs(RenameArgs, args)
  const place = sources(document, args)
  if (!hasEntry(place, name))
    throw new EngineError('not-exists', `Could not find source with name "${name}"`, AT)
  if (hasEntry(place, new_name))
    throw new EngineError('already-exists', `Source with name "${new_name}" already exists`, AT)
  findEntry(place, name).name = new_name
  const names = { name, new_name }
  changeEach(document, 'sources', (source) =>
    changeEach(source, 'tables', (table) =>
      changeEach(table, 'remote_relationships', (relationship) =>
        renameTarget(relationship, names),
      ),
    ),
  )
  changeEach(document, 'remote_schemas', (schema) =>
    changeEach(schema, 'remote_relationships', (type) =>
      changeEach(type, 'relationships', (relationship) => renameTarget(relationship, names)),
    ),
  )
  renameInCustomTypes(document, names)
}

const AT = { path: '$.args' }

type Names = z.infer<typeof RenameArgs>

function renameTarget(relationship: Node, { name, new_name }: Names) {
  const { definition } = relationship
  if (!isRecord(definition) || !isRecord(definition.to_source)) return
  const { to_source } = definition
  if (to_source.source !== name) return
  relationship.definition = { ...definition, to_source: { ...to_source, source: new_name } }
}

/** Renames the source in relationships of actions' types. Their default source is `default`. */
function renameInCustomTypes(document: MetadataDocument, { name, new_name }: Names) {
  if (!isRecord(document.custom_types)) return
  const types = { ...document.custom_types }
  document.custom_types = types
  changeEach(types, 'objects', (object) =>
    changeEach(object, 'relationships', (relationship) => {
      if ((relationship.source ?? 'default') === name) relationship.source = new_name
    }),
  )
}

/** Changes the entries of a list, if it exists. */
function changeEach(owner: Node, list: string, change: (entry: Node) => void) {
  if (!isList(owner[list])) return
  const place = { owner, list, keyOf: keyedBy('name') }
  editEntries(place, (entries) => {
    for (const entry of entries) change(entry)
    return entries
  })
}
