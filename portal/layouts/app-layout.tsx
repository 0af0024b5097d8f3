import { Badge, Button, Group, Text } from '@mantine/core'
import { generatePath, Link, Outlet, useLocation } from 'react-router'
import { Loaded } from '../components/loaded.tsx'
import { NotFound } from '../pages/not-found/not-found-page.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { type App, AppProvider, useApp, useAppQuery } from '../team/current-app.tsx'
import { useTeam } from '../team/current-team.tsx'
import type { Permission } from '../team/permissions.ts'
import { isAllowed } from '../team/permissions.ts'

/** The layout of all pages of an app. */
export function AppLayout() {
  return (
    <Loaded query={useAppQuery()}>
      {(app) =>
        app ? (
          <AppProvider key={app.id} app={app}>
            <AppHead app={app} />
            <Outlet />
          </AppProvider>
        ) : (
          <NotFound />
        )
      }
    </Loaded>
  )
}

type AppLink = { label: string; path: string; permission?: Permission; isForStaging?: boolean }

const LINKS: readonly AppLink[] = [
  { label: 'Actions', path: PAGE_PATHS.actions },
  { label: 'Try it', path: PAGE_PATHS.tryIt, isForStaging: true },
  { label: 'Proof debugger', path: PAGE_PATHS.debugProof },
  { label: 'Sign-in', path: PAGE_PATHS.signIn },
  { label: 'Payments', path: PAGE_PATHS.payments },
  { label: 'Requests', path: PAGE_PATHS.requests },
  { label: 'App', path: PAGE_PATHS.app },
]

function AppHead({ app: { id: appId, name, is_staging, is_archived } }: { app: App }) {
  const { id: teamId, role } = useTeam()
  const links = LINKS.filter(
    ({ permission, isForStaging = false }) =>
      (!permission || isAllowed(role, permission)) && (is_staging || !isForStaging),
  )
  return (
    <>
      <Group gap="xs" mb="xs">
        <Text fw={650}>{name}</Text>
        <Badge variant="light" color={is_staging ? 'gray' : 'accent'}>
          {is_staging ? 'Staging' : 'Production'}
        </Badge>
        {is_archived && (
          <Badge variant="light" color="orange">
            Archived
          </Badge>
        )}
      </Group>
      <Group component="nav" aria-label="App" gap={4} mb="lg">
        {links.map(({ label, path }) => (
          <HeadLink key={path} label={label} to={generatePath(path, { teamId, appId })} />
        ))}
      </Group>
    </>
  )
}

function HeadLink({ label, to }: { label: string; to: string }) {
  const { pathname } = useLocation()
  const { id } = useApp()
  // The addresses of all pages of an app begin with the address of the page "App", which ends with the app's id.
  const isCurrent = pathname === to || (!to.endsWith(id) && pathname.startsWith(`${to}/`))
  return (
    <Button
      component={Link}
      to={to}
      size="compact-sm"
      variant={isCurrent ? 'light' : 'subtle'}
      color={isCurrent ? 'accent' : 'gray'}
      aria-current={isCurrent ? 'page' : undefined}
      style={isCurrent ? {} : { color: 'var(--ink)' }}
    >
      {label}
    </Button>
  )
}
