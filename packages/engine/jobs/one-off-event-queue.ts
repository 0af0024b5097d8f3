import { z } from 'zod'
import { parseExactJson } from '../../../lib/runtime/exact-json.ts'
import { RetryConfiguration } from '../metadata/cron-triggers.ts'
import { Header } from '../metadata/primitives.ts'
import type { Engine } from '../runtime/engine.ts'
import {
  deliverScheduledEvent,
  leaseStatement,
  outcomeStatements,
} from './deliver-scheduled-event.ts'
import type { Queue } from './queue.ts'

const OneOffEvent = z.object({
  id: z.string(),
  scheduled_time: z.string(),
  created_at: z.string(),
  webhook_conf: z.string(),
  header_conf: z.array(Header).nullish(),
  retry_conf: RetryConfiguration.nullish().transform(
    (conf) => conf ?? RetryConfiguration.parse({}),
  ),
  payload: z
    .string()
    .nullable()
    .transform((json) => (json === null ? null : parseExactJson(json))),
  comment: z.string().nullish(),
  request_transform: z.unknown(),
  response_transform: z.unknown(),
})

/** Creates the queue that delivers due one-off events, which the command `create_scheduled_event` writes. */
export function createOneOffEventQueue(engine: Engine): Queue {
  return {
    name: 'scheduled events',
    intervalMs: engine.config.cronDeliverMs,
    maxConcurrent: engine.config.eventsHttpPoolSize,
    lease: LEASE,
    leaseValues: () => [],
    async processRow(row) {
      const { id, scheduled_time, created_at, payload, comment, ...rest } = OneOffEvent.parse(row)
      const common = { id, scheduled_time, created_at, payload }
      const event = {
        receiver: {
          webhook: rest.webhook_conf,
          headers: rest.header_conf ?? [],
          requestTransform: rest.request_transform,
          responseTransform: rest.response_transform,
        },
        payload: comment == null ? common : { ...common, comment },
        retries: rest.retry_conf,
      }
      return deliverScheduledEvent(row, event, OUTCOMES, engine)
    },
  }
}

const EVENTS = 'hdb_catalog.hdb_scheduled_events'

const LEASE = leaseStatement(
  EVENTS,
  `event.webhook_conf, event.header_conf, event.retry_conf, event.payload::text as payload, event.comment,
  event.request_transform, event.response_transform,
  to_json(event.scheduled_time at time zone 'utc') #>> '{}' || 'Z' as scheduled_time,
  to_json(event.created_at at time zone 'utc') #>> '{}' || 'Z' as created_at`,
)

const OUTCOMES = outcomeStatements(EVENTS, 'hdb_catalog.hdb_scheduled_event_invocation_logs')
