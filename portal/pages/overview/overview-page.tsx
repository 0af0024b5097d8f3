import { Alert, Anchor, Badge, Button, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Boxes, TriangleAlert } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import type { OverviewQuery } from '../../graphql/generated/graphql.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { failureInWords } from '../payments/failure-in-words.ts'
import { PeopleStatistics } from '../statistics/people-statistics.tsx'
import { LiveFigures } from './live-figures.tsx'
import { overviewQuery } from './overview-query.ts'

/** The page with a team's apps, their latest figures, and failed payments. */
export function OverviewPage() {
  const { id: team_id, name } = useTeam()
  const mayCreate = useAllowed('createApp')
  const query = useQuery(overviewQuery(team_id))
  const createButton = mayCreate && (
    <Button component={Link} to={generatePath(PAGE_PATHS.newApp, { teamId: team_id })}>
      Create an app
    </Button>
  )
  return (
    <>
      <PageTitle title={name} action={query.data?.app.length !== 0 && createButton} />
      <Loaded query={query}>
        {(overview) =>
          overview.app.length > 0 ? (
            <Stack gap="lg">
              <FailedPayments failed={overview.failed} />
              <PeopleStatistics actionId={null}>
                {({ latest, from }) => <LiveFigures since={latest ?? from} />}
              </PeopleStatistics>
              <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
                {overview.app.map((app) => (
                  <AppCard key={app.id} app={app} />
                ))}
              </SimpleGrid>
            </Stack>
          ) : (
            <EmptyState
              icon={Boxes}
              title="No app yet"
              text="An app is your website or program where people verify. Start with a staging app: its people are simulated."
              action={createButton}
            />
          )
        }
      </Loaded>
    </>
  )
}

function AppCard({ app }: { app: OverviewQuery['app'][number] }) {
  const { id: teamId } = useTeam()
  const actions = app.actions_aggregate.aggregate?.count ?? 0
  return (
    <Card withBorder padding="lg" bg="var(--paper-raised)">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Anchor
            component={Link}
            fw={650}
            to={generatePath(PAGE_PATHS.actions, { teamId, appId: app.id })}
          >
            {app.name}
          </Anchor>
          <Badge
            variant="light"
            color={app.is_staging ? 'gray' : 'accent'}
            style={{ flexShrink: 0 }}
          >
            {app.is_staging ? 'Staging' : 'Production'}
          </Badge>
        </Group>
        <Text c="dimmed" size="sm">
          {actions === 1 ? '1 action' : `${actions} actions`}
        </Text>
      </Stack>
    </Card>
  )
}

function FailedPayments({ failed }: { failed: OverviewQuery['failed'] }) {
  const { id: teamId } = useTeam()
  if (failed.length === 0) return null
  return (
    <Alert color="orange" icon={<TriangleAlert aria-hidden />} title="Failed payments">
      <Stack gap={4}>
        {failed.map(({ id, app_id: appId, reference, failure_reason }) => (
          <Text key={id} size="sm">
            <Anchor component={Link} to={generatePath(PAGE_PATHS.payments, { teamId, appId })}>
              {reference}
            </Anchor>
            {failure_reason ? `: ${failureInWords(failure_reason)}` : ''}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}
