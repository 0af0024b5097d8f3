import { addEntry, dropEntry, updateEntry } from '../../../../metadata-store/edit/edits.ts'
import type { Node } from '../../../../metadata-store/edit/node.ts'
import { remoteRelationships } from '../../../../metadata-store/edit/places.ts'
import type { Command } from '../../command.ts'
import { requireFreeName } from '../relationships.ts'

/** Commands on relationships of tables to remote schemas, and to other sources. */
export const remoteRelationshipCommands: readonly Command[] = [
  {
    type: 'pg_create_remote_relationship',
    edit: addEntry(remoteRelationships, remoteEntry),
    check: requireFreeName,
    makes: 'remote_relationship',
  },
  {
    type: 'pg_update_remote_relationship',
    edit: updateEntry(remoteRelationships, remoteEntry),
    makes: 'remote_relationship',
  },
  { type: 'pg_delete_remote_relationship', edit: dropEntry(remoteRelationships) },
]

/** An entry of the arguments, in which the parts of the older form may be beside the name. */
function remoteEntry({ name, definition, remote_schema, hasura_fields, remote_field }: Node): Node {
  return { name, definition: definition ?? { remote_schema, hasura_fields, remote_field } }
}
