import { Anchor, Center, Group, Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import logo from '../../lib/design/logo.svg'
import { PAGE_PATHS } from '../settings/page-paths.ts'

/** A page with a card in the middle, for the pages before the log-in. */
export function CardPage({ children, footer }: { children: ReactNode; footer?: ReactNode }) {
  return (
    <Center component="main" mih="100vh" p="md" bg="var(--paper-sunken)">
      <Stack w="100%" maw="26rem">
        <Anchor component={Link} to={PAGE_PATHS.home} underline="never" c="var(--ink)">
          <Group gap="xs" justify="center">
            <img src={logo} alt="" width={32} height={32} />
            <Text fw={650}>Personhood</Text>
          </Group>
        </Anchor>
        <Paper withBorder p="xl" bg="var(--paper-raised)">
          {children}
        </Paper>
        {footer && (
          <Text ta="center" c="dimmed">
            {footer}
          </Text>
        )}
      </Stack>
    </Center>
  )
}
