import type { Engine } from '../engine.ts'
import type { CronTriggerMetadata } from '../metadata/cron-triggers.ts'
import { claimFrom, deliverScheduled, outcomesIn } from './deliver-scheduled-event.ts'
import type { Queue } from './queue.ts'
import type { Row } from './row-locks.ts'

/** Delivers the events of cron triggers that are due. */
export function cronQueue({ config, snapshot }: Engine): Queue {
  const triggers = () => snapshot().model.cronTriggers
  return {
    name: 'cron events',
    everyMs: config.cronDeliverMs,
    atOnce: config.eventsHttpPoolSize,
    claim: CLAIM,
    values: () => [[...triggers().keys()]],
    async work(row) {
      const trigger = triggers().get(String(row.trigger_name))?.metadata
      if (!trigger) return { text: UNCLAIM, values: [row.id] }
      const { webhook, headers, request_transform, response_transform, retry_conf } = trigger
      const event = {
        receiver: {
          webhook,
          headers,
          requestTransform: request_transform,
          responseTransform: response_transform,
        },
        payload: payloadOf(row, trigger),
        retries: retry_conf,
      }
      return deliverScheduled(row, event, OUTCOMES, config)
    },
  }
}

function payloadOf({ id, scheduled_time }: Row, { name, payload, comment }: CronTriggerMetadata) {
  const base = { id, name, scheduled_time, payload: payload ?? null }
  return comment == null ? base : { ...base, comment }
}

const EVENTS = 'hdb_catalog.hdb_cron_events'

const CLAIM = claimFrom(
  EVENTS,
  `event.trigger_name,
  to_char(event.scheduled_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as scheduled_time`,
  'trigger_name = any ($3)',
)

const UNCLAIM = `update ${EVENTS} set status = 'scheduled' where id = $1`

const OUTCOMES = outcomesIn(EVENTS, 'hdb_catalog.hdb_cron_event_invocation_logs')
