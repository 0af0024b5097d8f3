import { Select, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { useChange } from '../../components/use-change.ts'
import { ChangeRoleDocument, RemoveMemberDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAccount } from '../../session/account.tsx'
import { MEMBERSHIPS_KEY } from '../../session/memberships.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useAllowed } from '../../team/current-team.tsx'
import type { Member } from './members-query.ts'

/** Lists the members, with buttons to change them. */
export function MemberTable({ members }: { members: readonly Member[] }) {
  return <DataTable rows={members} rowKey={({ id }) => id} columns={COLUMNS} minWidth={560} />
}

const COLUMNS: readonly Column<Member>[] = [
  {
    title: 'Member',
    cell: ({ user }) => (
      <Stack gap={0}>
        <Text>{user.name}</Text>
        <Text size="sm" c="dimmed">
          {user.email}
        </Text>
      </Stack>
    ),
  },
  { title: 'Role', cell: (member) => <Role member={member} /> },
  { title: 'Since', cell: ({ created_at }) => <Moment at={created_at} /> },
  { title: 'Changes', hasButtons: true, cell: (member) => <MemberChanges member={member} /> },
]

function Role({ member }: { member: Member }) {
  return useAllowed('changeMembers') ? <RoleSelect member={member} /> : ROLE_NAMES[member.role]
}

function MemberChanges({ member }: { member: Member }) {
  const mayChange = useAllowed('changeMembers')
  if (useAccount().id === member.user.id) return <LeaveButton membershipId={member.id} />
  return mayChange && <RemoveButton member={member} />
}

const ROLE_NAMES: Readonly<Record<string, string>> = {
  OWNER: 'Owner',
  ADMIN: 'Admin',
  MEMBER: 'Member',
}

const ROLE_OPTIONS = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }))

function RoleSelect({ member: { id, role, user } }: { member: Member }) {
  const { mutate, isPending } = useChange(
    (newRole: string) => request(ChangeRoleDocument, { id, role: newRole }),
    { toast: 'Role changed.' },
  )
  return (
    <Select
      aria-label={`Role of ${user.name}`}
      w={130}
      data={ROLE_OPTIONS}
      value={role}
      allowDeselect={false}
      disabled={isPending}
      onChange={(newRole) => newRole && newRole !== role && mutate(newRole)}
    />
  )
}

function RemoveButton({ member: { id, user } }: { member: Member }) {
  return (
    <ConfirmChange
      label="Remove"
      title={`Remove ${user.name}?`}
      consequences="The member loses access to this team. You can invite them again."
      toast="Member removed."
      change={(_, signal) => request(RemoveMemberDocument, { id }, signal)}
    />
  )
}

function LeaveButton({ membershipId: id }: { membershipId: string }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return (
    <ConfirmChange
      label="Leave"
      title="Leave this team?"
      consequences="You lose access to this team until an owner invites you again."
      toast="You have left the team."
      change={async (_, signal) => {
        await request(RemoveMemberDocument, { id }, signal)
        // The start page opens the first of the teams that are left.
        await queryClient.refetchQueries({ queryKey: MEMBERSHIPS_KEY })
      }}
      onDone={() => navigate(PAGE_PATHS.home)}
    />
  )
}
