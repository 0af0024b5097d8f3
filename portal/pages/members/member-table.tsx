import { Group, Select, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useNavigate } from 'react-router'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Moment } from '../../components/moment.tsx'
import { useChange } from '../../components/use-change.ts'
import {
  ChangeRoleDocument,
  type MembersQuery,
  RemoveMemberDocument,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAccount } from '../../session/account.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { useAllowed } from '../../team/team.tsx'

type Member = MembersQuery['membership'][number]

/** The members, with what may be done to each. */
export function MemberTable({ members }: { members: readonly Member[] }) {
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th>
              <VisuallyHidden>Changes</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function MemberRow({ member }: { member: Member }) {
  const { id, user, created_at } = member
  const mayChange = useAllowed('changeMembers')
  const isSelf = useAccount().id === user.id
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={0}>
          <Text>{user.name}</Text>
          <Text size="sm" c="dimmed">
            {user.email}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td>{mayChange ? <RoleSelect member={member} /> : ROLE_NAMES[member.role]}</Table.Td>
      <Table.Td>
        <Moment at={created_at} />
      </Table.Td>
      <Table.Td>
        <Group justify="flex-end">
          {isSelf && <LeaveButton membershipId={id} />}
          {!isSelf && mayChange && <RemoveButton member={member} />}
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

const ROLE_NAMES: Readonly<Record<string, string>> = {
  OWNER: 'Owner',
  ADMIN: 'Admin',
  MEMBER: 'Member',
}

const ROLE_OPTIONS = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }))

function RoleSelect({ member: { id, role, user } }: { member: Member }) {
  const { mutate, isPending } = useChange(
    (chosen: string) => request(ChangeRoleDocument, { id, role: chosen }),
    { done: 'The role is changed.' },
  )
  return (
    <Select
      aria-label={`Role of ${user.name}`}
      w={130}
      data={ROLE_OPTIONS}
      value={role}
      allowDeselect={false}
      disabled={isPending}
      onChange={(chosen) => chosen && chosen !== role && mutate(chosen)}
    />
  )
}

function RemoveButton({ member: { id, user } }: { member: Member }) {
  return (
    <ConfirmChange
      label="Remove"
      title={`Remove ${user.name}?`}
      consequences="They can no longer see or change anything of this team. You can invite them again."
      done={`${user.name} is removed.`}
      change={() => request(RemoveMemberDocument, { id })}
    />
  )
}

function LeaveButton({ membershipId: id }: { membershipId: string }) {
  const navigate = useNavigate()
  return (
    <ConfirmChange
      label="Leave"
      title="Leave this team?"
      consequences="You can no longer see or change anything of it, until somebody invites you again."
      done="You have left the team."
      change={() => request(RemoveMemberDocument, { id })}
      onDone={() => navigate(PAGE_PATHS.home)}
    />
  )
}
