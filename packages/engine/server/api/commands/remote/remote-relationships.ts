import { addEntry, dropEntry, updateEntry } from '../../../../metadata-store/edit/edits.ts'
import type { Node } from '../../../../metadata-store/edit/node.ts'
import { remoteRelationships } from '../../../../metadata-store/edit/places.ts'
import type { Command } from '../../command.ts'
import { requireFreeName } from '../relationships.ts'

/** Commands on relationships from tables to remote schemas, and to other sources. */
export const remoteRelationshipCommands: readonly Command[] = [
  {
    type: 'pg_create_remote_relationship',
    edit: addEntry(remoteRelationships, remoteEntry),
    check: requireFreeName,
    createdType: 'remote_relationship',
  },
  {
    type: 'pg_update_remote_relationship',
    edit: updateEntry(remoteRelationships, remoteEntry),
    createdType: 'remote_relationship',
  },
  { type: 'pg_delete_remote_relationship', edit: dropEntry(remoteRelationships) },
]

/** Creates the document's entry. In the older form of the arguments, the parts of the definition are next to the name. */
function remoteEntry({ name, definition, remote_schema, hasura_fields, remote_field }: Node): Node {
  return { name, definition: definition ?? { remote_schema, hasura_fields, remote_field } }
}
