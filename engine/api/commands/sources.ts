import { addEntry, dropEntry, pickArgs, updateEntry } from '../../document/edits.ts'
import type { Node } from '../../document/node.ts'
import { remoteSchemas, sources } from '../../document/places.ts'
import type { Command } from '../command.ts'

/** Commands on sources, and on remote schemas, which can only be removed: the engine does not support them. */
export const sourceCommands: readonly Command[] = [
  { type: 'pg_add_source', edit: addEntry(sources, sourceEntry), makes: 'source' },
  {
    type: 'pg_update_source',
    edit: updateEntry(sources, pickArgs('name', 'configuration', 'customization')),
    makes: 'source',
  },
  { type: 'pg_drop_source', edit: dropEntry(sources) },
  { type: 'remove_remote_schema', edit: dropEntry(remoteSchemas) },
]

function sourceEntry({ name, kind, configuration, customization }: Node): Node {
  const given = { name, kind: kind ?? 'postgres', tables: [], configuration, customization }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
}
