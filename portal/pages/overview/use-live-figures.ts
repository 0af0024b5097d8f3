import { useThrottledCallback } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useFollow } from '../../graphql/follow.ts'
import { NewPeopleOfTeamDocument } from '../../graphql/generated/graphql.ts'
import { useTeam } from '../../team/current-team.tsx'

/** However many verify: counting those of a month is work. */
const REFRESH_MS = 5_000

/**
 * Has the page's figures read again when somebody verifies for the first time in one of the team's apps.
 *
 * @param since up to when people are counted in the figures, by the database's clock; null while there are none
 */
export function useLiveFigures(since: string | null): void {
  const { id: team_id } = useTeam()
  const queryClient = useQueryClient()
  const refresh = useThrottledCallback(() => {
    for (const figures of ['recent-count', 'recent-people'])
      void queryClient.invalidateQueries({ queryKey: [figures, team_id] })
  }, REFRESH_MS)
  const variables = since === null ? null : { team_id, since }
  useFollow(NewPeopleOfTeamDocument, variables, ({ nullifier_stream: arrived }) => {
    if (arrived.length > 0) refresh()
  })
}
