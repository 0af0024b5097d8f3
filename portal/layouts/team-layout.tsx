import {
  Alert,
  AppShell,
  Burger,
  Container,
  Drawer,
  Group,
  getDefaultZIndex,
  Skeleton,
  Stack,
} from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Ban } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { Outlet, useLocation, useParams } from 'react-router'
import { Loaded } from '../components/loaded.tsx'
import { TitlePlace } from '../components/page-title.tsx'
import { NotFound } from '../pages/not-found/not-found-page.tsx'
import { type Team, TeamProvider, teamQuery } from '../team/current-team.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Navigation, useNavigationName } from './navigation.tsx'
import { TeamSwitch } from './team-switch.tsx'

/** A window narrower than Mantine's breakpoint `sm`, as in the properties of the shell below. */
const NARROW = '(max-width: 47.99em)'

/** The layout of all pages of a team: links to the pages, the team switch and the account menu. */
export function TeamLayout() {
  const { teamId = '' } = useParams()
  const query = useQuery(teamQuery(teamId))
  const [isOpen, { open, close }] = useDisclosure()
  const burger = useRef<HTMLButtonElement>(null)
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const name = useNavigationName()
  const team = query.data
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 250, breakpoint: 'sm', collapsed: { mobile: true } }}
      padding="md"
    >
      <a className="skip-link" href="#page">
        Skip to content
      </a>
      <Header team={team ?? null} burger={burger} isOpen={isOpen} onOpen={open} />
      {!isNarrow && (
        <AppShell.Navbar p="xs" aria-label={name} className="navbar">
          {team === undefined ? <NavigationPlaceholder /> : team && <Navigation team={team} />}
        </AppShell.Navbar>
      )}
      {team && isNarrow && (
        <MenuOfPhone team={team} isOpen={isOpen} onClose={close} burger={burger} />
      )}
      <AppShell.Main id="page">
        <Container size="lg" px={0}>
          <Loaded query={query}>{(loadedTeam) => <TeamPage team={loadedTeam} />}</Loaded>
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}

type HeaderProps = {
  team: Team | null
  burger: RefObject<HTMLButtonElement | null>
  isOpen: boolean
  onOpen(): void
}

function Header({ team, burger, isOpen, onOpen }: HeaderProps) {
  return (
    // The header's menus must cover the navigation. By default, the navigation has the highest z-index.
    <AppShell.Header zIndex={getDefaultZIndex('app') + 2}>
      <Group h="100%" px="md" justify="space-between" wrap="nowrap">
        <Group wrap="nowrap" gap="xs" miw={0}>
          <Burger
            ref={burger}
            opened={false}
            onClick={onOpen}
            hiddenFrom="sm"
            size="sm"
            aria-label="Open the menu"
            aria-expanded={isOpen}
          />
          <TeamSwitch team={team} />
        </Group>
        <AccountMenu />
      </Group>
    </AppShell.Header>
  )
}

function NavigationPlaceholder() {
  return (
    <Stack gap="xs" p="xs" aria-hidden>
      {['overview', 'apps', 'members', 'settings'].map((line) => (
        <Skeleton key={line} height={20} />
      ))}
    </Stack>
  )
}

type MenuOfPhoneProps = {
  team: Team
  isOpen: boolean
  onClose(): void
  burger: RefObject<HTMLButtonElement | null>
}

/** The navigation of a narrow window, in a drawer. */
function MenuOfPhone({ team, isOpen, onClose, burger }: MenuOfPhoneProps) {
  const { pathname } = useLocation()
  const name = useNavigationName()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(onClose, [pathname])
  return (
    <Drawer
      opened={isOpen}
      onClose={() => {
        onClose()
        burger.current?.focus()
      }}
      // After a click on a link, the focus belongs to the heading of the page.
      returnFocus={false}
      size="18rem"
      title="Menu"
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
      // For screen readers, the only banner of a page is its header.
      attributes={{ header: { role: 'presentation' } }}
    >
      <nav aria-label={name}>
        <Navigation team={team} />
      </nav>
    </Drawer>
  )
}

function TeamPage({ team }: { team: Team | null }) {
  if (!team) return <NotFound />
  return (
    <TeamProvider team={team}>
      <TitlePlace name={team.name}>
        {team.blocked_at !== null && (
          <Alert
            mb="md"
            color="red"
            icon={<Ban aria-hidden />}
            title="This team is blocked. Contact the operator."
          >
            Its API keys are revoked and its apps archived. An owner can activate them again once
            the operator has ended the block.
          </Alert>
        )}
        <Outlet />
      </TitlePlace>
    </TeamProvider>
  )
}
