import {
  Alert,
  AppShell,
  Burger,
  Container,
  Group,
  getDefaultZIndex,
  NavLink,
  ScrollArea,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  Ban,
  Boxes,
  Braces,
  History,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Settings,
  Users,
} from 'lucide-react'
import { useEffect } from 'react'
import { generatePath, Link, Outlet, useLocation } from 'react-router'
import { Loaded } from '../components/loaded.tsx'
import { NotFound } from '../pages/not-found/not-found-page.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { type Team, TeamProvider, useTeamQuery } from '../team/current-team.tsx'
import type { Permission } from '../team/permissions.ts'
import { isAllowed } from '../team/permissions.ts'
import { AccountMenu } from './account-menu.tsx'
import { TeamSwitch } from './team-switch.tsx'

/** The layout of all pages of a team: links to the pages, the team switch and the account menu. */
export function TeamLayout() {
  const query = useTeamQuery()
  const [isOpen, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the menu closes when the page changes
  useEffect(close, [pathname])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 250, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#page">
        Skip to content
      </a>
      {/* The header's menus must cover the navigation. By default, the navigation has the highest z-index. */}
      <AppShell.Header zIndex={getDefaultZIndex('app') + 2}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="xs">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            />
            <TeamSwitch team={query.data ?? null} />
          </Group>
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Team">
        {query.data && <TeamLinks team={query.data} />}
      </AppShell.Navbar>
      <AppShell.Main id="page">
        <Container size="lg" px={0}>
          <Loaded query={query}>{(team) => <TeamPage team={team} />}</Loaded>
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}

function TeamPage({ team }: { team: Team | null }) {
  if (!team) return <NotFound />
  return (
    <TeamProvider team={team}>
      {team.blocked_at !== null && (
        <Alert
          mb="md"
          color="red"
          icon={<Ban aria-hidden />}
          title="This team is blocked. Contact the operator."
        >
          Its API keys are revoked and its apps archived. An owner can activate them again once the
          operator has ended the block.
        </Alert>
      )}
      <Outlet />
    </TeamProvider>
  )
}

type TeamLink = { label: string; path: string; icon: LucideIcon; permission?: Permission }

const LINKS: readonly TeamLink[] = [
  { label: 'Members', path: PAGE_PATHS.members, icon: Users },
  { label: 'API keys', path: PAGE_PATHS.keys, icon: KeyRound, permission: 'readKeys' },
  { label: 'Audit', path: PAGE_PATHS.audit, icon: History, permission: 'readAudit' },
  { label: 'GraphQL', path: PAGE_PATHS.graphql, icon: Braces },
  { label: 'Settings', path: PAGE_PATHS.teamSettings, icon: Settings },
]

function TeamLinks({ team }: { team: Team }) {
  const { id: teamId, apps, role } = team
  return (
    <ScrollArea type="auto">
      <PageLink
        label="Overview"
        to={generatePath(PAGE_PATHS.team, { teamId })}
        icon={LayoutDashboard}
        isExact
      />
      {apps
        .filter((app) => !app.is_archived)
        .map((app) => (
          <PageLink
            key={app.id}
            label={app.name}
            to={generatePath(PAGE_PATHS.app, { teamId, appId: app.id })}
            icon={Boxes}
          />
        ))}
      {LINKS.filter(({ permission }) => !permission || isAllowed(role, permission)).map(
        ({ label, path, icon }) => (
          <PageLink key={label} label={label} to={generatePath(path, { teamId })} icon={icon} />
        ),
      )}
    </ScrollArea>
  )
}

type PageLinkProps = { label: string; to: string; icon: LucideIcon; isExact?: boolean }

function PageLink({ label, to, icon: Icon, isExact = false }: PageLinkProps) {
  const { pathname } = useLocation()
  const isHere = isExact ? pathname === to : pathname === to || pathname.startsWith(`${to}/`)
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      leftSection={<Icon aria-hidden size={18} />}
      style={{ borderRadius: 'var(--corner)' }}
    />
  )
}
