import { ActionIcon, Menu, Text, useMantineColorScheme } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Check, CircleUserRound, LogOut, Monitor, Moon, Server, Sun, UserRound } from 'lucide-react'
import { Link } from 'react-router'
import { showFailure } from '../components/use-change.ts'
import { useAccount } from '../session/account.tsx'
import { logOut } from '../session/session.ts'
import { askBeforeLeaving } from '../session/unsaved-changes.ts'
import { useLoggedOut } from '../session/use-logged-out.ts'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { settings } from '../settings/settings.ts'

export function AccountMenu() {
  const { name, email } = useAccount()
  return (
    <Menu width={260} position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="var(--ink)"
          size="lg"
          aria-label={`Account of ${name}`}
        >
          <CircleUserRound aria-hidden size={26} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to={PAGE_PATHS.account}
          leftSection={<UserRound aria-hidden size={16} />}
        >
          Account
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </Menu.Item>
        {settings.localUrl !== '' && (
          <Menu.Item
            component="a"
            href={settings.localUrl}
            leftSection={<Server aria-hidden size={16} />}
          >
            Local platform
          </Menu.Item>
        )}
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <LogOutItem />
      </Menu.Dropdown>
    </Menu>
  )
}

function LogOutItem() {
  const leave = useLoggedOut()
  const { mutate } = useMutation({
    mutationFn: logOut,
    onError: showFailure,
    onSuccess: () => leave(),
  })
  return (
    <Menu.Item
      onClick={() => askBeforeLeaving(mutate)}
      leftSection={<LogOut aria-hidden size={16} />}
    >
      Log out
    </Menu.Item>
  )
}

const SCHEMES = [
  { scheme: 'light', label: 'Light', icon: Sun },
  { scheme: 'dark', label: 'Dark', icon: Moon },
  { scheme: 'auto', label: 'Same as device', icon: Monitor },
] as const

function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return SCHEMES.map(({ scheme, label, icon: Icon }) => (
    <Menu.Item
      key={scheme}
      onClick={() => setColorScheme(scheme)}
      leftSection={<Icon aria-hidden size={16} />}
      rightSection={scheme === colorScheme && <Check aria-label="Chosen" size={16} />}
    >
      {label}
    </Menu.Item>
  ))
}
