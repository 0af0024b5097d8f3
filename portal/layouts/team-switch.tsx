import { Button, Menu, Text } from '@mantine/core'
import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import { generatePath, Link } from 'react-router'
import { useMemberships } from '../session/memberships.ts'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import type { Team } from '../team/current-team.tsx'

/** Shows the name of the team, and a menu to switch to other teams. */
export function TeamSwitch({ team }: { team: Team | null }) {
  const { data: memberships = [] } = useMemberships()
  return (
    <Menu width={260} position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--ink)"
          px="xs"
          rightSection={<ChevronsUpDown aria-hidden size={16} />}
        >
          <Text truncate maw={{ base: '10rem', sm: '20rem' }} fw={650}>
            {team?.name ?? 'Teams'}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {memberships.map(({ id, team: other }) => (
          <Menu.Item
            key={id}
            component={Link}
            to={generatePath(PAGE_PATHS.team, { teamId: other.id })}
            rightSection={other.id === team?.id && <Check aria-label="This team" size={16} />}
          >
            {other.name}
          </Menu.Item>
        ))}
        {memberships.length > 0 && <Menu.Divider />}
        <Menu.Item
          component={Link}
          to={PAGE_PATHS.newTeam}
          leftSection={<Plus aria-hidden size={16} />}
        >
          Create a team
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
