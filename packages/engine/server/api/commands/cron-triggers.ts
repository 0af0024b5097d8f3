import { z } from 'zod'
import { CronTrigger } from '../../../metadata/cron-triggers.ts'
import { addEntry, dropEntry, inSequence, omitArgs } from '../../../metadata-store/edit/edits.ts'
import type { Node } from '../../../metadata-store/edit/node.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { cronTriggers } from '../../../metadata-store/edit/places.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { CronSchedule } from '../checks/cron-schedule.ts'
import { requireReadableTransforms } from '../checks/webhook-transforms.ts'
import type { Command, CommandRequest } from '../command.ts'

/** Commands on cron triggers. The commands on their events are in `scheduled-events.ts`. */
export const cronTriggerCommands: readonly Command[] = [
  {
    type: 'create_cron_trigger',
    edit: inSequence(requireReadableTransforms, addEntry(cronTriggers, cronTriggerEntry)),
    createdType: 'cron_trigger',
  },
  { type: 'delete_cron_trigger', edit: dropEntry(cronTriggers) },
  { type: 'get_cron_triggers', run: getCronTriggers },
]

/** The arguments of `create_cron_trigger`. Unlike metadata, they must have `include_in_metadata`, and a valid schedule. */
const NewCronTrigger = CronTrigger.extend({
  schedule: CronSchedule,
  include_in_metadata: z.boolean(),
  replace: z.boolean().optional(),
})

function cronTriggerEntry(args: Node): Node {
  parseArgs(NewCronTrigger, args)
  return omitArgs('replace')(args)
}

/** `get_cron_triggers`: returns all cron triggers with defaults, but without members that are null. */
async function getCronTriggers(
  _request: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  const { cron_triggers } = engine.schemaCache().metadata
  return {
    cron_triggers: cron_triggers.map((trigger) =>
      Object.fromEntries(Object.entries(trigger).filter(([, value]) => value != null)),
    ),
  }
}
