import { Cron } from 'croner'
import type { CronTriggerMetadata } from '../../../metadata/cron-triggers.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import { missingVariablesMessage } from '../../../outgoing/environment.ts'
import { requestTransform } from '../../../outgoing/transform/request-transform.ts'
import { responseTransform } from '../../../outgoing/transform/response-transform.ts'
import { type InconsistencyReport, Inconsistent, readPart } from '../inconsistency.ts'
import type { ModelSettings } from '../model.ts'
import type { CronTrigger } from '../triggers.ts'

/** Resolves the cron triggers, by name. */
export function resolveCronTriggers(
  { cron_triggers }: Metadata,
  settings: ModelSettings,
  errors: InconsistencyReport,
): ReadonlyMap<string, CronTrigger> {
  const triggers = cron_triggers.flatMap((definition) => {
    const subject = {
      type: 'cron_trigger',
      name: `cron_trigger ${definition.name}`,
      prefix: `in cron trigger ${definition.name}`,
      definition,
    }
    return errors.attempt(subject, () => resolveCronTrigger(definition, settings)) ?? []
  })
  return new Map(triggers.map((trigger) => [trigger.metadata.name, trigger]))
}

function resolveCronTrigger(
  metadata: CronTriggerMetadata,
  { environment }: ModelSettings,
): CronTrigger {
  const { webhook, headers, request_transform, response_transform, schedule } = metadata
  const problem = missingVariablesMessage({ address: webhook, headers }, environment)
  if (problem !== null) throw new Inconsistent(problem)
  readPart('request_transform', () => request_transform && requestTransform(request_transform))
  readPart('response_transform', () => response_transform && responseTransform(response_transform))
  return { metadata, schedule: readPart('schedule', () => parseSchedule(schedule)) }
}

/** Reports whether a text is a valid cron expression. */
export function isCronExpression(expression: string): boolean {
  try {
    parseSchedule(expression)
    return true
  } catch {
    return false
  }
}

/**
 * Parses a schedule in UTC. UTC is passed as an offset, because finding the next time takes up to ten times as long with
 * a named time zone.
 */
function parseSchedule(expression: string): Cron {
  return new Cron(withRanges(expression), { utcOffset: 0, mode: '5-part', paused: true })
}

/**
 * Rewrites `3/15` as `3-59/15`, and `3/70` as `3`: Hasura's cron library steps from a number to the last value of the
 * field. Rewrites a field that contains `*` or a step of one from `*` as `*`: with such a day, only the other field of days counts.
 *
 * @see https://hackage.haskell.org/package/cron-0.7.0
 */
function withRanges(expression: string): string {
  const fields = expression.trim().split(/\s+/)
  return fields.map((field, i) => withRange(field, RANGES[i])).join(' ')
}

function withRange(field: string, [first, last]: readonly [number, number] = [0, 0]): string {
  if (field.split(',').some((part) => EVERY_VALUE.test(part))) return '*'
  return field.replaceAll(STEPS, (_, from: string, to: string | undefined, step: string) => {
    const begin = from === '*' ? first : from
    return Number(step) > last ? `${begin}` : `${begin}${to ?? `-${last}`}/${step}`
  })
}

const EVERY_VALUE = /^\*(\/0*1)?$/

const STEPS = /(\*|\d+)(-\d+)?\/(\d+)/g

/** The ranges of minutes, hours, days of a month, months, and days of a week, where both 0 and 7 are Sunday. */
const RANGES: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
]
