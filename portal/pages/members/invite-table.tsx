import { Group, Table, VisuallyHidden } from '@mantine/core'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { Moment } from '../../components/moment.tsx'
import { type MembersQuery, TakeInviteBackDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAllowed } from '../../team/team.tsx'

type Invite = MembersQuery['invite'][number]

/** The invites that nobody has accepted yet. */
export function InviteTable({ invites }: { invites: readonly Invite[] }) {
  const mayTakeBack = useAllowed('invite')
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address</Table.Th>
            <Table.Th>Valid until</Table.Th>
            {mayTakeBack && (
              <Table.Th>
                <VisuallyHidden>Changes</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invites.map(({ id, email, expires_at }) => (
            <Table.Tr key={id}>
              <Table.Td>{email}</Table.Td>
              <Table.Td>
                <Moment at={expires_at} />
              </Table.Td>
              {mayTakeBack && (
                <Table.Td>
                  <Group justify="flex-end">
                    <ConfirmChange
                      label="Take back"
                      title={`Take the invite of ${email} back?`}
                      consequences="The link in the mail stops working. You can invite them again."
                      done="The invite is taken back."
                      change={() => request(TakeInviteBackDocument, { id })}
                    />
                  </Group>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
