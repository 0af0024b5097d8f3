import { z } from 'zod'
import { addEntry, dropEntry, inSequence, pickArgs } from '../../../metadata-store/edit/edits.ts'
import { findEntry } from '../../../metadata-store/edit/entries.ts'
import { entryError } from '../../../metadata-store/edit/entry-errors.ts'
import type {
  DocumentEdit,
  MetadataDocument,
} from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { tablePermissions } from '../../../metadata-store/edit/places.ts'
import { ADMIN } from '../../../session/session.ts'
import type { Command } from '../command.ts'

/** Commands on the permissions of roles for tables. */
export const permissionCommands: readonly Command[] = [
  {
    type: 'pg_create_select_permission',
    edit: createPermission('select'),
    createdType: 'select_permission',
  },
  {
    type: 'pg_create_insert_permission',
    edit: createPermission('insert'),
    createdType: 'insert_permission',
  },
  {
    type: 'pg_create_update_permission',
    edit: createPermission('update'),
    createdType: 'update_permission',
  },
  {
    type: 'pg_create_delete_permission',
    edit: createPermission('delete'),
    createdType: 'delete_permission',
  },
  { type: 'pg_drop_select_permission', edit: dropEntry(tablePermissions('select')) },
  { type: 'pg_drop_insert_permission', edit: dropEntry(tablePermissions('insert')) },
  { type: 'pg_drop_update_permission', edit: dropEntry(tablePermissions('update')) },
  { type: 'pg_drop_delete_permission', edit: dropEntry(tablePermissions('delete')) },
  { type: 'pg_set_permission_comment', edit: setPermissionComment },
]

function createPermission(kind: 'select' | 'insert' | 'update' | 'delete'): DocumentEdit {
  const permissions = tablePermissions(kind)
  return inSequence(
    (document, args) => {
      const { role } = parseArgs(z.object({ role: z.string() }), args)
      // Admin already has all permissions.
      if (role === ADMIN) throw entryError('exists', permissions(document, args), role)
    },
    addEntry(permissions, pickArgs('role', 'permission', 'comment')),
  )
}

const Comment = z.object({
  role: z.string(),
  permission: z.enum(['insert', 'select', 'update', 'delete']),
  comment: z.string().nullish(),
})

/** Sets the comment of a permission of any kind, or removes it if the arguments have none. */
function setPermissionComment(document: MetadataDocument, args: unknown) {
  const { role, permission, comment } = parseArgs(Comment, args)
  findEntry(tablePermissions(permission)(document, args), role).comment = comment
}
