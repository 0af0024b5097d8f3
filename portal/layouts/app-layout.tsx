import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from 'react-router'
import { CutText } from '../components/cut-text.tsx'
import { Loaded } from '../components/loaded.tsx'
import { TitlePlace } from '../components/page-title.tsx'
import { NotFound } from '../pages/not-found/not-found-page.tsx'
import { type App, AppProvider, appQuery } from '../team/current-app.tsx'
import { useTeam } from '../team/current-team.tsx'
import { EnvironmentBadge } from '../team/environment-badge.tsx'

/** The layout of all pages of an app. */
export function AppLayout() {
  const { appId = '' } = useParams()
  const { id: teamId } = useTeam()
  return (
    <Loaded query={useQuery(appQuery(appId))}>
      {(app) =>
        app && app.team_id === teamId ? (
          <AppProvider key={app.id} app={app}>
            <TitlePlace name={app.name}>
              <AppHead app={app} />
              <Outlet />
            </TitlePlace>
          </AppProvider>
        ) : (
          <NotFound />
        )
      }
    </Loaded>
  )
}

function AppHead({ app: { name, is_staging, is_archived } }: { app: App }) {
  return (
    <Group gap="xs" mb="xs" wrap="nowrap">
      <CutText text={name} fw={650} />
      <EnvironmentBadge isStaging={is_staging} />
      {is_archived && (
        <Badge variant="light" color="orange" style={{ flexShrink: 0 }}>
          Archived
        </Badge>
      )}
    </Group>
  )
}
