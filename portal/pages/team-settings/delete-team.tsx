import { Group, List, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { DeleteTeamDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { MEMBERSHIPS_KEY } from '../../session/memberships.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useTeam } from '../../team/current-team.tsx'

export function DeleteTeam() {
  const { name } = useTeam()
  const deleteTeam = useDeleteTeam()
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        Delete the team
      </Title>
      <Text c="dimmed">Deletes the team for all its members. This cannot be undone.</Text>
      <Group>
        <ConfirmChange
          label="Delete this team"
          title="Delete this team?"
          consequences={<Consequences />}
          requiredText={name}
          toast={`Team ${name} deleted.`}
          change={deleteTeam}
          button={{ variant: 'outline', color: 'red' }}
        />
      </Group>
    </Stack>
  )
}

function Consequences() {
  return (
    <List spacing="xs">
      <List.Item>People can no longer verify or sign in with its apps.</List.Item>
      <List.Item>Its API keys stop working.</List.Item>
      <List.Item>All members lose access, and open invites are withdrawn.</List.Item>
      <List.Item>
        The team cannot be restored, and its apps’ counts can no longer be read.
      </List.Item>
    </List>
  )
}

/** Returns a function that deletes the team and opens the user's next team. */
function useDeleteTeam() {
  const { id: team_id } = useTeam()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (_: string, signal: AbortSignal) => {
    await request(DeleteTeamDocument, { team_id }, signal)
    // Must run before this page reloads its data, since its team no longer exists.
    await queryClient.refetchQueries({ queryKey: MEMBERSHIPS_KEY })
    await navigate(PAGE_PATHS.home)
  }
}
