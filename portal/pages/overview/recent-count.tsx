import { Box, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../components/loaded.tsx'
import { useTeam } from '../../team/current-team.tsx'
import { OVERVIEW_DAYS, recentCountQuery } from './overview-query.ts'
import { useLiveFigures } from './use-live-figures.ts'

const HEIGHT = 36

/** Shows how many people verified for the first time recently. Counting a million takes a second, so this is a separate request. */
export function RecentCount() {
  const { id: team_id } = useTeam()
  const query = useQuery(recentCountQuery(team_id))
  useLiveFigures(query.data?.countedUntil ?? null)
  return (
    // Reserves the final height, so that the content below does not jump.
    <Box mih={HEIGHT}>
      <Loaded query={query} lines={1}>
        {({ count }) => (
          <Text>
            <Text span fw={650} size="xl">
              {count.toLocaleString()}
            </Text>{' '}
            <Text span c="dimmed">
              {count === 1 ? 'person' : 'people'} verified for the first time in the last{' '}
              {OVERVIEW_DAYS} days
            </Text>
          </Text>
        )}
      </Loaded>
    </Box>
  )
}
