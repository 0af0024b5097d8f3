import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { NewPeopleOfTeamDocument } from '../../graphql/generated/graphql.ts'
import { pace } from '../../graphql/pace.ts'
import { useSubscription } from '../../graphql/use-subscription.ts'
import { useTeam } from '../../team/current-team.tsx'
import { teamStatsKey } from '../statistics/team-stats-query.ts'

/** The shortest time between two counts, because counting a month is expensive. */
const REST_MS = 5_000

/**
 * Counts the page's figures again when a person first verifies in one of the team's apps. Shows nothing.
 *
 * @param since the time up to which the figures count people, by the database's clock
 */
export function LiveFigures({ since }: { since: string }) {
  const { id: team_id } = useTeam()
  const queryClient = useQueryClient()
  const [recount] = useState(() =>
    pace(() => queryClient.invalidateQueries({ queryKey: teamStatsKey(team_id) }), REST_MS),
  )
  useSubscription(
    NewPeopleOfTeamDocument,
    { team_id, since },
    ({ nullifier_stream: newPeople }) => {
      if (newPeople.length > 0) recount()
    },
  )
  return null
}
