import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { actorOf, idText, teamAction, teamsOf } from '../action.ts'

const MAX_DAYS = 366

const time = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
    error: 'Must be a day or a time in ISO 8601, such as 2026-01-31 or 2026-01-31T12:00:00Z.',
  })
  .transform(toUtc)

/** Adds UTC to a time without an offset. Otherwise this process or the database would use its own time zone. */
function toUtc(text: string): string {
  if (!text.includes('T')) return `${text}T00:00:00Z`
  return /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`
}

/** `from` is included, `to` is not. */
const Period = z
  .object({ action_id: idText, from: time, to: time })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    error: 'Must be later than `from`.',
  })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= MAX_DAYS * 86_400_000, {
    path: ['to'],
    error: `Must be at most ${MAX_DAYS} days after \`from\`.`,
  })

/**
 * Counts the people who first verified for an action in a period: in total, and for each day (UTC) that has such people.
 * Also counts how often these people have verified for the action until now.
 *
 * @returns `{ persons, verifications, days: [{ day, persons, verifications }] }`
 * @throws not_found for an unknown action and for another team's action
 */
export const actionStats = teamAction(Period, ({ graphql }) => async (period, caller) => {
  const { action: actions, action_days } = await graphql.ActionStats(
    { ...period, ...actorOf(caller), readable_teams: teamsOf(caller) },
    caller.headers,
  )
  if (actions.length === 0) throw new ApiError('not_found')
  const days = action_days.map(({ day, persons, verifications }) => ({
    day,
    persons: Number(persons),
    verifications: Number(verifications),
  }))
  return {
    persons: addUp(days.map(({ persons }) => persons)),
    verifications: addUp(days.map(({ verifications }) => verifications)),
    days,
  }
})

/** Returns the sum of numbers. */
export function addUp(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
