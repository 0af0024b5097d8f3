import { z } from 'zod'
import { Operation } from '../../../metadata/event-triggers.ts'
import { Header, MetadataName } from '../../../metadata/primitives.ts'
import { CronSchedule } from './cron-schedule.ts'

/** The retries of a delivery. If a command has no `retry_conf`, the engine stores these defaults, and a timeout of 60 seconds. */
export const Retries = z.object({
  num_retries: z.number().int().nonnegative().default(0),
  interval_sec: z.number().int().nonnegative().default(10),
  timeout_sec: z.number().int().positive().nullish(),
})

/** The cleanup of old events. Like Hasura's free edition, the engine stores this setting but deletes no events. */
const Cleanup = z.looseObject({ schedule: CronSchedule, clear_older_than: z.number().int() })

/** The arguments of `pg_create_event_trigger`. */
export const NewEventTrigger = z
  .object({
    name: MetadataName,
    insert: Operation,
    update: Operation,
    delete: Operation,
    enable_manual: z.boolean().nullish(),
    webhook: z.string().nullish(),
    webhook_from_env: z.string().nullish(),
    headers: z.array(Header).nullish(),
    retry_conf: Retries.nullish(),
    cleanup_config: Cleanup.nullish(),
    replace: z.boolean().nullish(),
  })
  .refine(({ name }) => /^[A-Za-z]+[A-Za-z0-9_-]*$/.test(name), {
    error: 'only alphanumeric and underscore and hyphens allowed for name',
  })
  .refine(({ name }) => name.length <= 42, 'event trigger name can be at most 42 characters')
  .refine((trigger) => operationsOf(trigger).length > 0 || trigger.enable_manual, {
    error: 'atleast one amongst insert/update/delete/enable_manual spec must be provided',
  })
  .refine(({ webhook, webhook_from_env }) => webhook == null || webhook_from_env == null, {
    error: 'only one of webhook or webhook_from_env should be given',
  })
  .refine(({ webhook, webhook_from_env }) => webhook != null || webhook_from_env != null, {
    error: 'must provide webhook or webhook_from_env',
  })
  .refine((trigger) => operationsOf(trigger).every(({ columns }) => columns.length > 0), {
    error: 'found empty column specification',
  })
  .refine((trigger) => operationsOf(trigger).every(({ payload }) => payload?.length !== 0), {
    error: 'found empty payload specification',
  })

type Operations = { [operation in 'insert' | 'update' | 'delete']?: z.infer<typeof Operation> }

function operationsOf({ insert, update, delete: deletion }: Operations) {
  return [insert, update, deletion].filter((operation) => operation != null)
}
