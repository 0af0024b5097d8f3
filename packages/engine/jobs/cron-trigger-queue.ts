import type { CronTriggerMetadata } from '../metadata/cron-triggers.ts'
import type { Engine } from '../runtime/engine.ts'
import {
  deliverScheduledEvent,
  leaseStatement,
  outcomeStatements,
} from './deliver-scheduled-event.ts'
import type { Queue } from './queue.ts'
import type { QueueRow } from './row-locks.ts'

/** Creates the queue that delivers the due events of cron triggers, which `cron-trigger-schedule.ts` writes. */
export function createCronTriggerQueue(engine: Engine): Queue {
  const { config, schemaCache } = engine
  const triggers = () => schemaCache().model.cronTriggers
  return {
    name: 'cron events',
    intervalMs: config.cronDeliverMs,
    maxConcurrent: config.eventsHttpPoolSize,
    lease: LEASE,
    leaseValues: () => [[...triggers().keys()]],
    async processRow(row) {
      const trigger = triggers().get(String(row.trigger_name))?.metadata
      if (!trigger) return { text: RELEASE, values: [row.id] }
      const { webhook, headers, request_transform, response_transform, retry_conf } = trigger
      const event = {
        receiver: {
          webhook,
          headers,
          requestTransform: request_transform,
          responseTransform: response_transform,
        },
        payload: cronEventPayload(row, trigger),
        retries: retry_conf,
      }
      return deliverScheduledEvent(row, event, OUTCOMES, engine)
    },
  }
}

function cronEventPayload(
  { id, scheduled_time }: QueueRow,
  { name, payload, comment }: CronTriggerMetadata,
) {
  const base = { id, name, scheduled_time, payload: payload ?? null }
  return comment == null ? base : { ...base, comment }
}

const EVENTS = 'hdb_catalog.hdb_cron_events'

const LEASE = leaseStatement(
  EVENTS,
  `event.trigger_name,
  to_char(event.scheduled_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as scheduled_time`,
  'trigger_name = any ($3)',
)

const RELEASE = `update ${EVENTS} set status = 'scheduled' where id = $1`

const OUTCOMES = outcomeStatements(EVENTS, 'hdb_catalog.hdb_cron_event_invocation_logs')
