import { TagsInput } from '@mantine/core'
import { z } from 'zod'
import { emailAddress } from '../../../webhooks/accounts/email-address.ts'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { InviteMembersDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/team.tsx'

/** As many as one call invites. */
const MAX_ADDRESSES = 20

const Input = z.object({
  emails: z
    .array(z.string())
    .min(1, 'Enter an e-mail address.')
    .superRefine((emails, { addIssue }) => {
      const wrong = emails.find((email) => !emailAddress.safeParse(email).success)
      if (wrong !== undefined) addIssue(`${wrong} is not an e-mail address.`)
    }),
})

/** Where owners invite people. */
export function InviteForm() {
  const { id: team_id } = useTeam()
  const form = useInputForm(Input, { emails: [] as string[] })
  return (
    <ChangeForm
      form={form}
      change={({ emails }) => request(InviteMembersDocument, { team_id, emails })}
      label="Invite"
      done="The invites are on their way."
      onDone={() => form.reset()}
    >
      <TagsInput
        label="Invite people"
        description="Each gets a link by mail, which works once, within 7 days. Separate addresses with a comma."
        placeholder="grace@example.com"
        maxTags={MAX_ADDRESSES}
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        {...form.getInputProps('emails')}
      />
    </ChangeForm>
  )
}
