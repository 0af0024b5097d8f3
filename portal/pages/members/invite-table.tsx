import { ConfirmChange } from '../../components/confirm-change.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { type MembersQuery, WithdrawInviteDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAllowed } from '../../team/current-team.tsx'

type Invite = MembersQuery['invite'][number]

/** Lists the open invites. */
export function InviteTable({ invites }: { invites: readonly Invite[] }) {
  const mayWithdraw = useAllowed('invite')
  const columns = mayWithdraw ? [...COLUMNS, WITHDRAW] : COLUMNS
  return <DataTable rows={invites} rowKey={({ id }) => id} columns={columns} minWidth={420} />
}

const COLUMNS: readonly Column<Invite>[] = [
  { title: 'Address', cell: ({ email }) => email },
  { title: 'Valid until', cell: ({ expires_at }) => <Moment at={expires_at} /> },
]

const WITHDRAW: Column<Invite> = {
  title: 'Changes',
  hasButtons: true,
  cell: ({ id, email }) => (
    <ConfirmChange
      label="Withdraw"
      title={`Withdraw the invite of ${email}?`}
      consequences="The link in the mail stops working. You can invite this person again."
      toast="Invite withdrawn."
      change={() => request(WithdrawInviteDocument, { id })}
    />
  ),
}
