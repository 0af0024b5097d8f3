import { Box, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { ActionStatsDocument, type ActionStatsQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { fillDays } from './fill-days.ts'
import { lastDays } from './last-days.ts'

const loadChart = () => import('./day-chart.tsx')
/** The library of charts is as large as the rest of the page, so it comes when it is needed. */
const DayChart = lazy(async () => ({ default: (await loadChart()).DayChart }))

const DAYS = 30
const CHART_HEIGHT = 180
const FIGURES_HEIGHT = 70

/** How many verified for an action lately, by day. */
export function ActionStats({ actionId: action_id }: { actionId: string }) {
  const query = useQuery({
    queryKey: ['action-stats', action_id],
    queryFn: async () => {
      const { from, period } = lastDays(DAYS)
      const { action_stats: stats } = await request(ActionStatsDocument, { action_id, ...period })
      return { ...stats, days: fillDays(stats.days, from, DAYS) }
    },
  })
  useEffect(() => {
    // While people are being counted; if it fails, it is tried again when the chart is drawn.
    loadChart().catch(() => {})
  }, [])
  return (
    // As high as what is being loaded, so that nothing below it jumps.
    <Box mih={CHART_HEIGHT + FIGURES_HEIGHT}>
      <Loaded query={query} lines={5}>
        {(stats) => <KnownStats stats={stats} />}
      </Loaded>
    </Box>
  )
}

function KnownStats({ stats }: { stats: ActionStatsQuery['action_stats'] }) {
  return (
    <Stack component="section" aria-label={`The last ${DAYS} days`}>
      <SimpleGrid cols={2} maw={400}>
        <Figure
          value={stats.persons}
          what={`${stats.persons === 1 ? 'person' : 'people'} in the last ${DAYS} days`}
        />
        <Figure
          value={stats.verifications}
          what={stats.verifications === 1 ? 'verification by them' : 'verifications by them'}
        />
      </SimpleGrid>
      <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
        <DayChart days={stats.days} height={CHART_HEIGHT} />
      </Suspense>
    </Stack>
  )
}

function Figure({ value, what }: { value: number; what: string }) {
  return (
    <Stack gap={0}>
      <Text fw={650} size="xl">
        {value.toLocaleString()}
      </Text>
      <Text size="sm" c="dimmed">
        {what}
      </Text>
    </Stack>
  )
}
