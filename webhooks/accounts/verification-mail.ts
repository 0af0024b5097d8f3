import type { Message } from '../mail/mailer.ts'

type Facts = { id: string; to: string; baseUrl: string; token: string }

/**
 * The message that brings a person the link that verifies their address.
 *
 * Nothing in it was chosen by whoever signed up: else anybody could have us send their words to others.
 */
export function verificationMail({ id, to, baseUrl, token }: Facts): Message {
  const link = `${baseUrl}/api/v1/verify-email?token=${token}`
  const text = `Somebody signed up with this e-mail address. If it was you, follow this link to verify it:

${link}

The link works once, within 24 hours. If it was not you, there is nothing to do.
`
  return { id, to, subject: 'Verify your e-mail address', text }
}
