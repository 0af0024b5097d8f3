import { Alert, List, Stack, Text } from '@mantine/core'
import { MailCheck, MailX } from 'lucide-react'
import type { InviteMembersMutation } from '../../graphql/generated/graphql.ts'

/** An invited address, and whether a mail is sent to it. */
export type InviteOutcome = InviteMembersMutation['invite_team_members']['outcomes'][number]

/** Says how many invites were sent, and for each other address why not. */
export function InviteOutcomes({ outcomes }: { outcomes: readonly InviteOutcome[] }) {
  if (outcomes.length === 0) return null
  const unsent = outcomes.filter(({ outcome }) => outcome !== 'sent')
  const isComplete = unsent.length === 0
  return (
    <Alert
      role="status"
      maw="36rem"
      color={isComplete ? 'teal' : 'orange'}
      icon={isComplete ? <MailCheck aria-hidden /> : <MailX aria-hidden />}
      title={countInWords(outcomes.length - unsent.length)}
    >
      {!isComplete && (
        <Stack gap="xs">
          <Text>These addresses get no mail:</Text>
          <List spacing="xs">
            {unsent.map(({ email, outcome }) => (
              <List.Item key={email}>
                {email}
                <br />
                {reasonInWords(outcome)}
              </List.Item>
            ))}
          </List>
        </Stack>
      )}
    </Alert>
  )
}

function countInWords(sent: number): string {
  if (sent === 0) return 'No invite was sent'
  return sent === 1 ? '1 invite was sent' : `${sent} invites were sent`
}

/** Explains why an address gets no mail. */
export function reasonInWords(outcome: string): string {
  return REASONS[outcome] ?? 'The platform did not send an invite. Try again later.'
}

const REASONS: Readonly<Record<string, string>> = {
  member: 'This person is a member of the team already.',
  recently_sent:
    'This person got an invite less than an hour ago. The invite is valid for another 7 days. You can send it again after an hour.',
  daily_limit: 'You can send 100 invites a day. Invite this person tomorrow.',
}
