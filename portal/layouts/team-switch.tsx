import { Button, Menu } from '@mantine/core'
import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import { useState } from 'react'
import { generatePath, Link } from 'react-router'
import { CutText } from '../components/cut-text.tsx'
import { useMemberships } from '../session/memberships.ts'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import type { Team } from '../team/current-team.tsx'

/** Shows the name of the team, and a menu to switch to other teams. */
export function TeamSwitch({ team }: { team: Team | null }) {
  const [isOpen, setIsOpen] = useState(false)
  const { data: memberships = [], error } = useMemberships(isOpen)
  return (
    <Menu width={260} position="bottom-start" opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c="var(--ink)"
          px="xs"
          title={team?.name ?? 'Teams'}
          rightSection={<ChevronsUpDown aria-hidden size={16} />}
        >
          <CutText text={team?.name ?? 'Teams'} maw={{ base: '10rem', sm: '20rem' }} fw={650} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="80vh" style={{ overflowY: 'auto' }}>
        {memberships.map(({ id, team: other }) => (
          <Menu.Item
            key={id}
            component={Link}
            to={generatePath(PAGE_PATHS.team, { teamId: other.id })}
            rightSection={other.id === team?.id && <Check aria-label="This team" size={16} />}
          >
            <CutText text={other.name} size="sm" maw="11rem" />
          </Menu.Item>
        ))}
        {memberships.length === 0 && <Menu.Label>{error ? error.message : 'Loading'}</Menu.Label>}
        <Menu.Divider />
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
