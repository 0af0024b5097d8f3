import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { action, id } from './action.ts'

const MAX_DAYS = 366

const time = z.iso.datetime({ offset: true, local: true }).or(z.iso.date())

/** From the first moment to just before the second; a time without an offset is UTC. */
const Period = z
  .object({ action_id: id, from: time, to: time })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    path: ['to'],
    error: 'Must be later than from.',
  })
  .refine(({ from, to }) => Date.parse(to) - Date.parse(from) <= MAX_DAYS * 86_400_000, {
    path: ['to'],
    error: `Must be within ${MAX_DAYS} days of from.`,
  })

/**
 * How many people verified an action for the first time in a period, in all and on each day (UTC) on
 * which there were any, and how often these people have verified it by now.
 *
 * @returns `{ persons, verifications, days: [{ day, persons, verifications }] }`
 * @throws not_found, alike for an action that there is not and one of others
 */
export const actionStats = action(Period, ({ graphql }) => async (period, { userId, headers }) => {
  const { action: mine, action_days } = await graphql.ActionStats(
    { ...period, user_id: userId },
    headers,
  )
  if (mine.length === 0) throw new ApiError('not_found')
  const days = action_days.map(({ day, persons, verifications }) => ({
    day,
    persons: Number(persons),
    verifications: Number(verifications),
  }))
  return {
    persons: sum(days.map(({ persons }) => persons)),
    verifications: sum(days.map(({ verifications }) => verifications)),
    days,
  }
})

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
