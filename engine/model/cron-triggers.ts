import { Cron } from 'croner'
import { missingVariables } from '../environment.ts'
import type { CronTriggerMetadata } from '../metadata/cron-triggers.ts'
import type { Metadata } from '../metadata/metadata.ts'
import { requestTransform } from '../transform/request-transform.ts'
import { responseTransform } from '../transform/response-transform.ts'
import { Inconsistent, type Report } from './inconsistency.ts'
import type { ModelSettings } from './model.ts'

/** A trigger that can run; its schedule is in UTC. */
export type CronTrigger = { metadata: CronTriggerMetadata; schedule: Cron }

/** The cron triggers by name. */
export function resolveCronTriggers(
  { cron_triggers }: Metadata,
  settings: ModelSettings,
  errors: Report,
): ReadonlyMap<string, CronTrigger> {
  const resolved = cron_triggers.flatMap((definition) => {
    const subject = { type: 'cron_trigger', name: `cron_trigger ${definition.name}`, definition }
    return errors.attempt(subject, () => resolve(definition, settings)) ?? []
  })
  return new Map(resolved.map((trigger) => [trigger.metadata.name, trigger]))
}

function resolve(metadata: CronTriggerMetadata, { environment }: ModelSettings): CronTrigger {
  const { webhook, headers, request_transform, response_transform, schedule } = metadata
  const missing = missingVariables([webhook], headers, environment)
  if (missing.length > 0) {
    throw new Inconsistent(`environment variables not set: ${JSON.stringify(missing)}`)
  }
  readable('request_transform', () => request_transform && requestTransform(request_transform))
  readable('response_transform', () => response_transform && responseTransform(response_transform))
  return { metadata, schedule: readable('schedule', () => scheduleOf(schedule)) }
}

/** Whether a text is a valid cron expression. */
export function isSchedule(expression: string): boolean {
  try {
    scheduleOf(expression)
    return true
  } catch {
    return false
  }
}

/** UTC is given as an offset because finding the next time in a named zone takes ten times as long. */
function scheduleOf(expression: string): Cron {
  return new Cron(expression, { utcOffset: 0, mode: '5-part', paused: true })
}

/** Runs a reader of a part of the metadata. @throws Inconsistent naming the part */
export function readable<T>(part: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Inconsistent(`${part} cannot be read: ${reason}`, { cause })
  }
}
