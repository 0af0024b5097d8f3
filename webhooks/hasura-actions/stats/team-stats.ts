import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import type { TeamStatsQuery } from '../../generated/sdk.ts'
import { actorOf, idText, teamAction, teamsOf } from '../action.ts'
import { addUp } from './action-stats.ts'

const MAX_DAYS = 366
/** The number of actions that are counted separately. Together with the number of spans, it bounds the size of an answer. */
const BUSIEST_ACTIONS = 8
const MAX_SPANS = 366
const HOUR_MS = 3_600_000

const Period = z
  .object({
    team_id: idText,
    action_id: idText.nullish(),
    hours: z.int('Must be a whole number.').min(1, 'Must be at least 1.'),
    spans: z
      .int('Must be a whole number.')
      .min(1, 'Must be at least 1.')
      .max(MAX_SPANS, `Must be at most ${MAX_SPANS}.`),
  })
  .refine(({ hours, spans }) => hours * spans <= MAX_DAYS * 24, {
    path: ['spans'],
    error: `Must be at most ${MAX_DAYS} days together.`,
  })

type PeopleCount = TeamStatsQuery['people_counts'][number]

/**
 * Counts the people who first verified in a team, or for one of its actions, in each of the last spans of hours. The last span
 * ends with the current hour or, if each span is a number of days, with the current day (UTC). The busiest actions are counted
 * separately, all others together. Sign-in is an action, too; its identifier is empty.
 *
 * @returns the period; the total; the busiest actions in order; and a count for each span and action that has people, without
 *   an `action_id` for all other actions
 * @throws not_found for an unknown team or action, and for another team's
 */
export const teamStats = teamAction(Period, ({ graphql }) => async (request, caller) => {
  const { team_id, action_id, hours, spans } = request
  const { from, to } = lastSpans(hours, spans)
  const { team: teams, people_counts: rows } = await graphql.TeamStats(
    {
      ...actorOf(caller),
      ...{ readable_teams: teamsOf(caller), team_id, action_id, from, to, hours },
      limit: BUSIEST_ACTIONS,
    },
    caller.headers,
  )
  if (teams.length === 0) throw new ApiError('not_found')
  const personsOf = totalsByAction(rows)
  const ids = new Set([...personsOf.keys(), ...(action_id ? [action_id] : [])])
  const { action: actions } =
    ids.size === 0
      ? { action: [] }
      : await graphql.CountedActions({ team_id, ids: [...ids] }, caller.headers)
  if (action_id && actions.length === 0) throw new ApiError('not_found')
  return {
    from,
    to,
    persons: addUp(rows.map(({ persons }) => Number(persons))),
    verifications: addUp(rows.map(({ verifications }) => Number(verifications))),
    latest: rows[0]?.latest ?? null,
    actions: actions
      .map(({ app, ...action }) => ({
        ...action,
        app_name: app.name,
        persons: personsOf.get(action.id) ?? 0,
      }))
      .toSorted((a, b) => b.persons - a.persons || (a.id < b.id ? -1 : 1)),
    counts: rows.map((row) => ({
      since: row.since,
      action_id: row.action_id,
      persons: Number(row.persons),
    })),
  }
})

function lastSpans(hours: number, spans: number): { from: string; to: string } {
  const unitMs = hours % 24 === 0 ? 24 * HOUR_MS : HOUR_MS
  const to = (Math.floor(Date.now() / unitMs) + 1) * unitMs
  const from = to - hours * spans * HOUR_MS
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/** Adds up the people of each action that is counted separately. */
function totalsByAction(rows: readonly PeopleCount[]): Map<string, number> {
  const totals = new Map<string, number>()
  for (const { action_id, persons } of rows)
    if (action_id) totals.set(action_id, (totals.get(action_id) ?? 0) + Number(persons))
  return totals
}
