import { Box, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../components/loaded.tsx'
import { RecentCountDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'
import { daysAgo } from '../action/last-days.ts'
import { useLiveFigures } from './use-live-figures.ts'

const DAYS = 30
const HEIGHT = 36

/** Shows how many people verified for the first time recently. Counting a million takes a second, so this is a separate request. */
export function RecentCount() {
  const { id: team_id } = useTeam()
  const query = useQuery({
    queryKey: ['recent-count', team_id],
    queryFn: () => readRecentCount(team_id),
  })
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
              {count === 1 ? 'person' : 'people'} verified for the first time in the last {DAYS}{' '}
              days
            </Text>
          </Text>
        )}
      </Loaded>
    </Box>
  )
}

async function readRecentCount(team_id: string) {
  const since = daysAgo(DAYS)
  const { nullifier_aggregate: people } = await request(RecentCountDocument, { team_id, since })
  const { count = 0, max } = people.aggregate ?? {}
  // `max` comes from the database, since the browser's clock may be wrong. Without people, there is no `max`.
  return { count, countedUntil: max?.created_at ?? since }
}
