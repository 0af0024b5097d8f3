import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import { useChange } from '../../components/use-change.ts'
import {
  InviteMembersDocument,
  type InvitesQuery,
  WithdrawInviteDocument,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { reasonInWords } from './invite-outcomes.tsx'

type Invite = InvitesQuery['invite'][number]

/** Lists the open invites. */
export function InviteTable({ invites }: { invites: readonly Invite[] }) {
  const mayWithdraw = useAllowed('invite')
  const columns = mayWithdraw ? [...COLUMNS, CHANGES] : COLUMNS
  return <DataTable rows={invites} rowKey={({ id }) => id} columns={columns} minWidth={560} />
}

const COLUMNS: readonly Column<Invite>[] = [
  { title: 'Address', cell: ({ email }) => email },
  {
    title: 'Sent',
    cell: ({ mailed_at }) => (mailed_at === null ? 'Not yet' : <Moment at={mailed_at} />),
  },
  { title: 'Valid until', cell: ({ expires_at }) => <Moment at={expires_at} /> },
]

const CHANGES: Column<Invite> = {
  title: 'Changes',
  hasButtons: true,
  cell: ({ id, email }) => (
    <>
      <SendAgainButton email={email} />
      <ConfirmChange
        label="Withdraw"
        title={`Withdraw the invite of ${email}?`}
        consequences="The link in the mail stops working. You can invite this person again."
        toast="Invite withdrawn."
        change={(_, signal) => request(WithdrawInviteDocument, { id }, signal)}
      />
    </>
  ),
}

/** Sends an open invite again, with a link that is valid for another 7 days. */
function SendAgainButton({ email }: { email: string }) {
  const { id: team_id } = useTeam()
  const { mutate, isPending } = useChange(
    () => request(InviteMembersDocument, { team_id, emails: [email] }),
    {
      onDone({ invite_team_members: { outcomes } }) {
        const outcome = outcomes[0]?.outcome ?? ''
        if (outcome === 'sent') notifications.show({ message: `Invite sent to ${email}.` })
        else
          notifications.show({
            color: 'orange',
            title: `No invite was sent to ${email}`,
            message: reasonInWords(outcome),
          })
      },
    },
  )
  return (
    <Button
      variant="default"
      loading={isPending}
      onClick={() => mutate()}
      aria-label={`Send again to ${email}`}
    >
      Send again
    </Button>
  )
}
