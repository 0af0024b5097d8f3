import { Box, Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { useTeam } from '../../team/current-team.tsx'
import { barsOf, seriesOf, type TeamStats } from './chart-data.ts'
import { Legend } from './legend.tsx'
import { RANGE_CHOICES, RANGE_PARAMETER, type Range, rangeDetails } from './ranges.ts'
import { teamStatsQuery } from './team-stats-query.ts'
import { ValueTable } from './value-table.tsx'

const loadChart = () => import('./people-chart.tsx')
/** The chart library is as large as the rest of the page, so it is loaded separately. */
const PeopleChart = lazy(async () => ({ default: (await loadChart()).PeopleChart }))

const CHART_HEIGHT = 260
const FIGURES_HEIGHT = 140

type PeopleStatisticsProps = {
  /** The action to count; null counts all actions and sign-ins of the team. */
  actionId: string | null
  /** More figures, below the number of people. */
  children?: (stats: TeamStats) => ReactNode
}

/** Shows how many people verified for the first time in a period that the user chooses, in total and by span and action. */
export function PeopleStatistics({ actionId, children }: PeopleStatisticsProps) {
  const { id: teamId } = useTeam()
  const [{ range }, setState] = useUrlState(RANGE_PARAMETER)
  const query = useQuery(teamStatsQuery(teamId, actionId, range))
  useEffect(() => {
    // Loads the chart while PostgreSQL counts. If this fails, drawing the chart loads it again.
    loadChart().catch(() => {})
  }, [])
  return (
    <Stack component="section" aria-label="New people" gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          New people
        </Title>
        <SegmentedControl
          aria-label="Period"
          size="xs"
          data={RANGE_CHOICES}
          value={range}
          onChange={(chosen) => setState({ range: chosen })}
        />
      </Group>
      {/* Reserves the final height, so that the content below does not jump. */}
      <Box mih={CHART_HEIGHT + FIGURES_HEIGHT}>
        <Loaded query={query} lines={6}>
          {(stats) => (
            <Stack gap="xs">
              <Total persons={stats.persons} range={range} />
              {children?.(stats)}
              <Chart stats={stats} range={range} />
            </Stack>
          )}
        </Loaded>
      </Box>
    </Stack>
  )
}

function Total({ persons, range }: { persons: number; range: Range }) {
  const { personIn, peopleIn } = rangeDetails(range)
  return (
    <Text>
      <Text span fw={650} size="xl">
        {persons.toLocaleString('en')}
      </Text>{' '}
      <Text span c="dimmed">
        {persons === 1 ? personIn : peopleIn}
      </Text>
    </Text>
  )
}

function Chart({ stats, range }: { stats: TeamStats; range: Range }) {
  const bars = barsOf(stats, range)
  const series = seriesOf(stats)
  return (
    <>
      <Text size="sm" c="dimmed">
        {rangeDetails(range).bars}
      </Text>
      <Legend series={series} />
      <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
        <PeopleChart bars={bars} series={series} height={CHART_HEIGHT} />
      </Suspense>
      <ValueTable bars={bars} series={series} />
    </>
  )
}
