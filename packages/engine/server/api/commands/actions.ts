import { z } from 'zod'
import { CustomTypes } from '../../../metadata/actions.ts'
import {
  addEntry,
  dropEntry,
  inSequence,
  pickArgs,
  setPart,
} from '../../../metadata-store/edit/edits.ts'
import { findEntry } from '../../../metadata-store/edit/entries.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { Args, actionPermissions, actions } from '../../../metadata-store/edit/places.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { applyEdit } from '../apply-edit.ts'
import { requireReadableTransforms } from '../checks/webhook-transforms.ts'
import type { Command, CommandRequest, EditCommand } from '../command.ts'

const createAction = inSequence(
  requireReadableTransforms,
  addEntry(actions, pickArgs('name', 'definition', 'comment')),
)

/** Commands on actions and their types. */
export const actionCommands: readonly Command[] = [
  { type: 'create_action', edit: createAction, createdType: 'action' },
  {
    type: 'update_action',
    edit: inSequence(requireReadableTransforms, updateAction),
    createdType: 'action',
  },
  { type: 'drop_action', edit: dropEntry(actions), apply: dropWithLog },
  {
    type: 'create_action_permission',
    edit: addEntry(actionPermissions, pickArgs('role', 'comment')),
    createdType: 'action',
  },
  { type: 'drop_action_permission', edit: dropEntry(actionPermissions) },
  {
    type: 'set_custom_types',
    edit: setPart('custom_types', CustomTypes),
    createdType: 'custom_types',
  },
]

const ActionUpdate = z.object({
  name: z.string(),
  definition: Args,
  comment: z.unknown().optional(),
})

/** `update_action`: replaces an action's definition and comment, and keeps its permissions. */
function updateAction(document: MetadataDocument, args: unknown) {
  const { name, definition, comment } = parseArgs(ActionUpdate, args)
  const action = findEntry(actions(document, args), name)
  const members = Object.entries(definition).filter(([, value]) => value !== null)
  action.definition = Object.fromEntries(members)
  if (comment == null) delete action.comment
  else action.comment = comment
}

const ActionDrop = z.object({ name: z.string(), clear_data: z.boolean().nullish() })

/** `drop_action`: drops an action and, unless `clear_data` is false, the log of its asynchronous calls. */
async function dropWithLog(
  command: EditCommand,
  request: CommandRequest,
  call: AuthenticatedRequest,
) {
  const { name, clear_data } = parseArgs(ActionDrop, request.args)
  const answer = await applyEdit(command, request, call)
  if (clear_data ?? true) await call.services.engine.metadataDatabase.pool.query(DELETE_LOG, [name])
  return answer
}

const DELETE_LOG = 'delete from hdb_catalog.hdb_action_log where action_name = $1'
