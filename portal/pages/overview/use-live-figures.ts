import { useThrottledCallback } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { NewPeopleOfTeamDocument } from '../../graphql/generated/graphql.ts'
import { useSubscription } from '../../graphql/use-subscription.ts'
import { useTeam } from '../../team/current-team.tsx'

/** The shortest time between two refreshes, because counting a month is expensive. */
const REFRESH_MS = 5_000

/**
 * Refreshes the page's figures when a person first verifies in one of the team's apps.
 *
 * @param since the time up to which the figures count people, by the database's clock; null while there are no figures
 */
export function useLiveFigures(since: string | null): void {
  const { id: team_id } = useTeam()
  const queryClient = useQueryClient()
  const refresh = useThrottledCallback(() => {
    for (const figures of ['recent-count', 'recent-people'])
      void queryClient.invalidateQueries({ queryKey: [figures, team_id] })
  }, REFRESH_MS)
  const variables = since === null ? null : { team_id, since }
  useSubscription(NewPeopleOfTeamDocument, variables, ({ nullifier_stream: newPeople }) => {
    if (newPeople.length > 0) refresh()
  })
}
