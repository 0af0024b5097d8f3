import { Box, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { ActionStatsDocument, NewestActionsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'
import { lastDays } from '../action/last-days.ts'
import { stackDays } from './stack-days.ts'

const loadChart = () => import('./stacked-chart.tsx')
/** The chart library is as large as the rest of the page, so it is loaded separately. */
const StackedChart = lazy(async () => ({ default: (await loadChart()).StackedChart }))

const DAYS = 30
/** The maximum number of actions in the chart. Each action needs a separate request. */
const MAX_ACTIONS = 10
const CHART_HEIGHT = 260
const HEADING_HEIGHT = 70

/** Shows how many people first verified on each day, for the team's newest actions. */
export function RecentPeople() {
  const { id: team_id } = useTeam()
  const query = useQuery({
    queryKey: ['recent-people', team_id],
    queryFn: ({ signal }) => readRecentPeople(team_id, signal),
  })
  useEffect(() => {
    // Loads the chart while PostgreSQL counts. If this fails, drawing the chart loads it again.
    loadChart().catch(() => {})
  }, [])
  return (
    // Reserves the final height, so that the content below does not jump.
    <Box mih={CHART_HEIGHT + HEADING_HEIGHT}>
      <Loaded query={query} lines={6}>
        {({ actions, days }) => (
          <Stack component="section" aria-label="People by day" gap="xs">
            <Title order={2} size="h4">
              People by day
            </Title>
            <Text size="sm" c="dimmed">
              People who verified for the first time in the last {DAYS} days,{' '}
              {scopeInWords(actions.length)}.
            </Text>
            <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
              <StackedChart days={days} actions={actions} height={CHART_HEIGHT} />
            </Suspense>
          </Stack>
        )}
      </Loaded>
    </Box>
  )
}

async function readRecentPeople(team_id: string, signal: AbortSignal) {
  const { from, period } = lastDays(DAYS)
  const { action: newest } = await request(
    NewestActionsDocument,
    { team_id, limit: MAX_ACTIONS },
    signal,
  )
  const dayCounts = await Promise.all(
    newest.map(async ({ id }) => {
      const { action_stats: stats } = await request(
        ActionStatsDocument,
        { action_id: id, ...period },
        signal,
      )
      return { id, days: stats.days }
    }),
  )
  const actions = newest.map(({ id, name, action }) => ({ id, label: name || action }))
  return { actions, days: stackDays(dayCounts, from, DAYS) }
}

function scopeInWords(count: number): string {
  return count < MAX_ACTIONS ? 'for each action' : `for the ${MAX_ACTIONS} newest actions`
}
