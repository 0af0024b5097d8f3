import { Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { emailAddress } from '../../../webhooks/accounts/email-address.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { InviteMembersDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'
import { type InviteOutcome, InviteOutcomes } from './invite-outcomes.tsx'

/** The maximum number of addresses in a call of `invite_team_members`. */
const MAX_ADDRESSES = 20

const Input = z.object({
  emails: z
    .string()
    .transform((text) => text.split(/[,;\s]+/).filter(Boolean))
    .superRefine((emails, { addIssue }) => {
      const wrong = emails.find((email) => !emailAddress.safeParse(email).success)
      if (emails.length === 0) addIssue('Enter an e-mail address.')
      if (emails.length > MAX_ADDRESSES)
        addIssue(`Enter at most ${MAX_ADDRESSES} addresses at a time.`)
      if (wrong !== undefined) addIssue(`${wrong} is not an e-mail address.`)
    }),
})

export function InviteForm() {
  const { id: team_id } = useTeam()
  const form = useInputForm(Input, { emails: '' })
  const [outcomes, setOutcomes] = useState<readonly InviteOutcome[]>([])
  return (
    <Stack>
      <ChangeForm
        form={form}
        change={({ emails }) => {
          setOutcomes([])
          return request(InviteMembersDocument, { team_id, emails })
        }}
        label="Invite"
        onDone={({ invite_team_members: invites }) => {
          form.reset()
          setOutcomes(invites.outcomes)
        }}
      >
        <Textarea
          label="Invite people"
          description="Each person gets a link by mail, which works once within 7 days. Enter one address per line, or separate them with commas."
          placeholder="grace@example.com"
          inputMode="email"
          autosize
          minRows={2}
          {...form.getInputProps('emails')}
        />
      </ChangeForm>
      <InviteOutcomes outcomes={outcomes} />
    </Stack>
  )
}
