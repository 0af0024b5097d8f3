import { addEntry, dropEntry, pickArgs, updateEntry } from '../../document/edits.ts'
import type { Node } from '../../document/node.ts'
import { sources } from '../../document/places.ts'
import type { Command } from '../command.ts'

/** Commands on sources. */
export const sourceCommands: readonly Command[] = [
  { type: 'pg_add_source', edit: addEntry(sources, sourceEntry), makes: 'source' },
  {
    type: 'pg_update_source',
    edit: updateEntry(sources, pickArgs('name', 'configuration', 'customization')),
    makes: 'source',
  },
  { type: 'pg_drop_source', edit: dropEntry(sources) },
]

function sourceEntry({ name, kind, configuration, customization }: Node): Node {
  const given = { name, kind: kind ?? 'postgres', tables: [], configuration, customization }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
}
