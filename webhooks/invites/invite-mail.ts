import type { Message } from '../mail/mailer.ts'
import { writeMail } from '../mail/write-mail.ts'

type InviteFacts = { id: string; to: string; baseUrl: string; token: string }

/**
 * Writes the message with the link of an invite.
 *
 * The message contains no text that the inviter chose. Otherwise the inviter could mail any text to strangers. So only
 * the page behind the link names the team.
 */
export function inviteMail({ id, to, baseUrl, token }: InviteFacts): Message {
  return writeMail(
    { id, to },
    {
      subject: 'You are invited to a team',
      before:
        'You are invited to work on the apps of a team. Follow this link to see the team and to accept the invitation:',
      link: { url: `${baseUrl}/api/v1/accept-invite?token=${token}`, text: 'See the invitation' },
      after:
        'The link works once, within 7 days. If you did not expect this invitation, ignore this message.',
    },
  )
}
