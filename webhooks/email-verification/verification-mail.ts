import type { Message } from '../mail/mailer.ts'

type Facts = { id: string; to: string; baseUrl: string; token: string }

/**
 * The message with the link that verifies a person's address.
 *
 * Nothing in it was chosen by whoever signed up, who could otherwise have us mail their words to strangers.
 */
export function verificationMail({ id, to, baseUrl, token }: Facts): Message {
  const link = `${baseUrl}/api/v1/verify-email?token=${token}`
  const text = `Somebody signed up with this e-mail address. If it was you, follow this link to verify it:

${link}

The link works once, within 24 hours. If it was not you, you need not do anything.
`
  return { id, to, subject: 'Verify your e-mail address', text }
}
