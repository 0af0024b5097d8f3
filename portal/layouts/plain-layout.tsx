import { Anchor, AppShell, Container, Group, Text } from '@mantine/core'
import { Link, Outlet } from 'react-router'
import logo from '../../lib/design/logo.svg'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { AccountMenu } from './account-menu.tsx'

/** The layout of pages that belong to no team. */
export function PlainLayout() {
  return (
    <AppShell header={{ height: 56 }} padding="md">
      <a className="skip-link" href="#page">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Anchor component={Link} to={PAGE_PATHS.home} underline="never" c="var(--ink)">
            <Group gap="xs" wrap="nowrap">
              <img src={logo} alt="" width={28} height={28} />
              <Text fw={650}>Personhood</Text>
            </Group>
          </Anchor>
          <Group wrap="nowrap">
            <Anchor component={Link} to={PAGE_PATHS.home}>
              Your teams
            </Anchor>
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Main id="page">
        <Container size="sm" px={0}>
          <Outlet />
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}
