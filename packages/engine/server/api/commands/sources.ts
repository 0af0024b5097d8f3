import { z } from 'zod'
import { addEntry, dropEntry, pickArgs, updateEntry } from '../../../metadata-store/edit/edits.ts'
import { findEntry, hasEntry } from '../../../metadata-store/edit/entries.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import type { Node } from '../../../metadata-store/edit/node.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { sources } from '../../../metadata-store/edit/places.ts'
import { renameSource } from '../../../metadata-store/edit/rename-source.ts'
import { applyDrop } from '../apply-edit.ts'
import type { Command } from '../command.ts'

const addNewSource = addEntry(sources, sourceEntry)
const updateSource = updateEntry(
  sources,
  pickArgs('name', 'configuration', 'customization', 'health_check'),
)

/** Commands on sources. */
export const sourceCommands: readonly Command[] = [
  { type: 'pg_add_source', edit: addSource, createdType: 'source' },
  { type: 'pg_update_source', edit: updateSource, createdType: 'source' },
  { type: 'rename_source', edit: renameSource, createdType: 'source' },
  { type: 'pg_drop_source', edit: dropEntry(sources), apply: applyDrop },
]

const NewSource = z.object({
  name: z.string(),
  configuration: z.unknown(),
  replace_configuration: z.boolean().default(false),
})

/** Adds a source. With `replace_configuration`, an existing source gets the new configuration and customization. */
function addSource(document: MetadataDocument, args: unknown) {
  const { name, replace_configuration } = parseArgs(NewSource, args)
  const place = sources(document, args)
  if (!replace_configuration || !hasEntry(place, name)) return addNewSource(document, args)
  delete findEntry(place, name).customization
  updateSource(document, args)
}

function sourceEntry(args: Node): Node {
  const { name, kind, configuration, customization, health_check } = args
  const entry = {
    name,
    kind: kind ?? 'postgres',
    tables: [],
    configuration,
    customization,
    health_check,
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value != null))
}
