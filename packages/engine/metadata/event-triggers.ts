import { z } from 'zod'
import { Header } from './primitives.ts'

const Columns = z.union([z.literal('*'), z.array(z.string())])

/**
 * An operation that creates events. An update creates an event only if it changes one of `columns`; `payload` has the
 * columns that the event contains.
 */
export const Operation = z.strictObject({ columns: Columns, payload: Columns.nullish() }).nullish()

/** A webhook that is called when rows of a table change. */
export const EventTrigger = z.strictObject({
  name: z.string().min(1).max(42),
  definition: z.strictObject({
    enable_manual: z.boolean().default(false),
    insert: Operation,
    update: Operation,
    delete: Operation,
  }),
  webhook: z.string().nullish(),
  webhook_from_env: z.string().nullish(),
  trigger_on_replication: z.boolean().nullish(),
  headers: z.array(Header).nullish(),
  retry_conf: z
    .strictObject({
      num_retries: z.number().int().nonnegative().nullish(),
      interval_sec: z.number().nonnegative().nullish(),
      timeout_sec: z.number().positive().nullish(),
    })
    .nullish(),
  request_transform: z.unknown().optional(),
  response_transform: z.unknown().optional(),
  cleanup_config: z.unknown().optional(),
})

export type EventTriggerMetadata = z.infer<typeof EventTrigger>
