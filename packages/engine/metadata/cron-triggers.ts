import { z } from 'zod'
import { Comment, Header, Transform } from './primitives.ts'

/**
 * The retries of a scheduled event, the timeout of each attempt, and the tolerance. The engine does not deliver an event
 * that is later than the tolerance.
 */
export const RetryConfiguration = z
  .strictObject({
    num_retries: z.number().int().default(0),
    retry_interval_seconds: z.number().nonnegative().default(10),
    timeout_seconds: z.number().nonnegative().default(60),
    tolerance_seconds: z.number().nonnegative().default(21_600),
  })
  .refine(({ num_retries }) => num_retries >= 0, 'num_retries cannot be a negative value')

/** A webhook that is called on a schedule. */
export const CronTrigger = z.strictObject({
  name: z.string(),
  webhook: z.string(),
  schedule: z.string(),
  payload: z.unknown().optional(),
  headers: z.array(Header).default([]),
  retry_conf: RetryConfiguration.prefault({}),
  include_in_metadata: z.boolean().default(true),
  comment: Comment,
  request_transform: Transform.nullish(),
  response_transform: Transform.nullish(),
})

export type RetryConfiguration = z.infer<typeof RetryConfiguration>
export type CronTriggerMetadata = z.infer<typeof CronTrigger>
