import { Box, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import type { ActionStatsQuery } from '../../graphql/generated/graphql.ts'
import { actionStatsQuery, STATS_DAYS } from './action.ts'

const loadChart = () => import('./day-chart.tsx')
/** The chart library is as large as the rest of the page, so it is loaded separately. */
const DayChart = lazy(async () => ({ default: (await loadChart()).DayChart }))

const CHART_HEIGHT = 180
const FIGURES_HEIGHT = 70

/** Shows how many people verified for an action for the first time in the last 30 days, in total and per day. */
export function ActionStats({ actionId: action_id }: { actionId: string }) {
  const query = useQuery(actionStatsQuery(action_id))
  useEffect(() => {
    // Loads the chart while PostgreSQL counts. If this fails, drawing the chart loads it again.
    loadChart().catch(() => {})
  }, [])
  return (
    // Reserves the final height, so that the content below does not jump.
    <Box mih={CHART_HEIGHT + FIGURES_HEIGHT}>
      <Loaded query={query} lines={5}>
        {(stats) => <StatsView stats={stats} />}
      </Loaded>
    </Box>
  )
}

function StatsView({ stats }: { stats: ActionStatsQuery['action_stats'] }) {
  return (
    <Stack component="section" aria-label={`The last ${STATS_DAYS} days`}>
      <SimpleGrid cols={2} maw={400}>
        <Figure
          value={stats.persons}
          label={`new ${stats.persons === 1 ? 'person' : 'people'} in the last ${STATS_DAYS} days`}
        />
        <Figure
          value={stats.verifications}
          label={stats.verifications === 1 ? 'verification by them' : 'verifications by them'}
        />
      </SimpleGrid>
      <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
        <DayChart days={stats.days} height={CHART_HEIGHT} />
      </Suspense>
    </Stack>
  )
}

function Figure({ value, label }: { value: number; label: string }) {
  return (
    <Stack gap={0}>
      <Text fw={650} size="xl">
        {value.toLocaleString()}
      </Text>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
    </Stack>
  )
}
