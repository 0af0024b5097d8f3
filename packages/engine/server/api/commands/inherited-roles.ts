import { EngineError } from '../../../errors.ts'
import { InheritedRole } from '../../../metadata/metadata.ts'
import { DROPPED } from '../../../metadata-store/consistency-rules.ts'
import { dropEntry } from '../../../metadata-store/edit/edits.ts'
import { editEntries } from '../../../metadata-store/edit/entries.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { inheritedRoles } from '../../../metadata-store/edit/places.ts'
import type { Command } from '../command.ts'

/** Commands on inherited roles. */
export const inheritedRoleCommands: readonly Command[] = [
  { type: 'add_inherited_role', edit: putInheritedRole, createdType: 'inherited_role' },
  { type: 'drop_inherited_role', edit: dropEntry(inheritedRoles), createdType: DROPPED },
]

/** `add_inherited_role`: adds an inherited role, or replaces its parents. @throws invalid-params */
function putInheritedRole(document: MetadataDocument, args: unknown) {
  const role = parseArgs(InheritedRole, args)
  if (role.role_set.includes(role.role_name)) {
    const message = 'an inherited role name cannot be in the role combination'
    throw new EngineError('invalid-params', message, { path: '$.args' })
  }
  editEntries(inheritedRoles(document, args), (entries) => [
    ...entries.filter(({ role_name }) => role_name !== role.role_name),
    role,
  ])
}
