import { useThrottledCallback } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFollow } from '../../graphql/follow.ts'
import { NewPeopleOfTeamDocument } from '../../graphql/generated/graphql.ts'
import { useTeam } from '../../team/team.tsx'

/** However many verify: counting those of a month is work. */
const REFRESH_MS = 5_000
/** By how much the clock of a browser may be ahead. */
const CLOCK_SKEW_MS = 5 * 60_000

/** Has the page's figures read again when somebody verifies for the first time in one of the team's apps. */
export function useLiveFigures(): void {
  const { id: team_id } = useTeam()
  const queryClient = useQueryClient()
  const [since] = useState(() => new Date(Date.now() - CLOCK_SKEW_MS).toISOString())
  const refresh = useThrottledCallback(() => {
    for (const figures of ['overview', 'recent-people'])
      void queryClient.invalidateQueries({ queryKey: [figures, team_id] })
  }, REFRESH_MS)
  useFollow(NewPeopleOfTeamDocument, { team_id, since }, ({ nullifier_stream: arrived }) => {
    if (arrived.length > 0) refresh()
  })
}
