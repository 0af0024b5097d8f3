import type { Message } from '../mail/mailer.ts'

/** What a message about an account is written with. Nothing in it was chosen by whoever caused it. */
export type MailFacts = { id: string; to: string; baseUrl: string; token: string }

type Mail = {
  subject: string
  /** How long its link works; null for a message without one. */
  linkMs: number | null
  text: (facts: MailFacts) => string
}

const HOUR_MS = 3_600_000

/** The messages that go to users, by their kind; those with a link get a token for it. */
const MAILS = {
  verify_email: {
    subject: 'Verify your e-mail address',
    linkMs: 24 * HOUR_MS,
    text: ({
      baseUrl,
      token,
    }) => `Somebody signed up with this e-mail address. If it was you, follow this link to verify it:

${baseUrl}/api/v1/verify-email?token=${token}

The link works once, within 24 hours. If it was not you, you need not do anything.
`,
  },
  reset_password: {
    subject: 'Choose another password',
    linkMs: HOUR_MS,
    text: ({
      baseUrl,
      token,
    }) => `Somebody asked for another password for the account of this e-mail address. If it was you, follow this link to choose it:

${baseUrl}/api/v1/reset-password?token=${token}

The link works once, within an hour. If it was not you, you need not do anything: your password stays as it is.
`,
  },
  confirm_old_address: {
    subject: 'Confirm your new e-mail address',
    linkMs: HOUR_MS,
    text: ({
      baseUrl,
      token,
    }) => `Somebody who knows your password asked to change the e-mail address of your account. If it was you, follow this link to confirm it, and the one that was sent to the new address:

${baseUrl}/api/v1/change-email?token=${token}

The link works once, within an hour. If it was not you, change your password: your address stays as it is.
`,
  },
  confirm_new_address: {
    subject: 'Confirm your new e-mail address',
    linkMs: HOUR_MS,
    text: ({
      baseUrl,
      token,
    }) => `Somebody asked to change the e-mail address of their account to this one. If it was you, follow this link to confirm it, and the one that was sent to the old address:

${baseUrl}/api/v1/change-email?token=${token}

The link works once, within an hour. If it was not you, you need not do anything.
`,
  },
  password_changed: {
    subject: 'Your password was changed',
    linkMs: null,
    text: () => `The password of your account was changed, and its other logins were ended.

If it was not you, choose another password at once, with the link for a forgotten password.
`,
  },
  address_changed: {
    subject: 'Your e-mail address was changed',
    linkMs: null,
    text: () => `The account that had this e-mail address now has another one, which both mailboxes have confirmed.

If it was not you, whoever did it can read your mail and knew your password.
`,
  },
} as const satisfies Record<string, Mail>

export type AccountMail = keyof typeof MAILS

/** Whether a kind of message is one of these. */
export function isAccountMail(kind: string): kind is AccountMail {
  return Object.hasOwn(MAILS, kind)
}

/** A message about an account. */
export function accountMail(kind: AccountMail, facts: MailFacts): Message {
  const { subject, text } = MAILS[kind]
  return { id: facts.id, to: facts.to, subject, text: text(facts) }
}

/** How long the link in a message works; null for messages without a link. */
export function linkLifetimeMs(kind: AccountMail): number | null {
  return MAILS[kind].linkMs
}
