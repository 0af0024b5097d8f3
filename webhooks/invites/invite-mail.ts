import type { Message } from '../mail/mailer.ts'
import { writeMail } from '../mail/write-mail.ts'

type Facts = { id: string; to: string; baseUrl: string; token: string }

/**
 * The message with the link to a team that a person was invited to.
 *
 * Nothing in it was chosen by the inviter, who could otherwise have us mail their words to strangers; the
 * page behind the link names the team.
 */
export function inviteMail({ id, to, baseUrl, token }: Facts): Message {
  return writeMail(
    { id, to },
    {
      subject: 'You are invited to a team',
      before:
        'Somebody invited you, at this e-mail address, to work on the apps of their team. Follow this link to see which team it is, and to accept:',
      link: { url: `${baseUrl}/api/v1/accept-invite?token=${token}`, text: 'See the invitation' },
      after:
        'The link works once, within 7 days. If you do not know who it is from, you need not do anything.',
    },
  )
}
