import { NavLink, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, type LucideIcon } from 'lucide-react'
import { generatePath, Link, useLocation, useParams } from 'react-router'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { appQuery } from '../team/current-app.tsx'
import type { Team } from '../team/current-team.tsx'
import { AppSwitch } from './app-switch.tsx'
import { APP_LINKS, linksFor, TEAM_LINKS } from './page-links.ts'

/** The links to the pages of the team; on the pages of an app, the links to the app's pages instead. */
export function Navigation({ team }: { team: Team }) {
  const { appId } = useParams()
  return appId === undefined ? <TeamPages team={team} /> : <AppPages team={team} appId={appId} />
}

/** Returns the name of the navigation for screen readers. */
export function useNavigationName(): string {
  return useParams().appId === undefined ? 'Team' : 'App'
}

function TeamPages({ team: { id: teamId, role } }: { team: Team }) {
  return linksFor(TEAM_LINKS, role).map(({ label, path, icon }) => (
    <PageLink
      key={path}
      label={label}
      to={generatePath(path, { teamId })}
      icon={icon}
      isExact={path === PAGE_PATHS.team}
    />
  ))
}

function AppPages({ team: { id: teamId, role }, appId }: { team: Team; appId: string }) {
  const { data: app } = useQuery(appQuery(appId))
  const isOfTeam = app?.team_id === teamId
  return (
    <>
      <PageLink
        label="All apps"
        to={generatePath(PAGE_PATHS.apps, { teamId })}
        icon={ChevronLeft}
        isExact
      />
      {isOfTeam && (
        <Stack gap={0} mt={4}>
          <AppSwitch app={app} />
          {linksFor(APP_LINKS, role, app.is_staging).map(({ label, path, icon }) => (
            <PageLink
              key={path}
              label={label}
              to={generatePath(path, { teamId, appId })}
              icon={icon}
              isExact={path === PAGE_PATHS.app}
            />
          ))}
        </Stack>
      )}
    </>
  )
}

type PageLinkProps = {
  label: string
  to: string
  icon: LucideIcon
  /** True if other links lead to the pages below this address. */
  isExact: boolean
}

function PageLink({ label, to, icon: Icon, isExact }: PageLinkProps) {
  const { pathname } = useLocation()
  const isHere = pathname === to || (!isExact && pathname.startsWith(`${to}/`))
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      leftSection={<Icon aria-hidden size={18} />}
      className="page-link"
    />
  )
}
