import type { Message } from '../mail/mailer.ts'
import { type MailTexts, writeMail } from '../mail/write-mail.ts'

/** The values in a message about an account. Only `actor` is a text that another user has chosen: an e-mail address. */
export type MailFacts = {
  id: string
  to: string
  baseUrl: string
  token: string
  /** The e-mail address of the user who caused the message, or a name for the operator; null for the recipient. */
  actor: string | null
  /** The id of the team that the recipient owned; empty for other messages. */
  team: string
}

type Mail = Omit<MailTexts, 'link' | 'before'> & {
  before: string | ((facts: Pick<MailFacts, 'actor' | 'team'>) => string)
  /** Null for a message without a link. */
  link: { page: string; text: string; lifetimeMs: number } | null
}

const HOUR_MS = 3_600_000

/** The messages to users, by kind. */
const MAILS = {
  verify_email: {
    subject: 'Verify your e-mail address',
    before:
      'This e-mail address was used to sign up. If it was you, follow this link to verify the address:',
    link: { page: 'verify-email', text: 'Verify my address', lifetimeMs: 24 * HOUR_MS },
    after: 'The link works once, within 24 hours. If it was not you, ignore this message.',
  },
  reset_password: {
    subject: 'Reset your password',
    before:
      'A link to reset the password of your account was requested. If it was you, follow the link:',
    link: { page: 'reset-password', text: 'Reset my password', lifetimeMs: HOUR_MS },
    after:
      'The link works once, within an hour. If it was not you, ignore this message: your password stays the same.',
  },
  confirm_old_address: {
    subject: 'Confirm your new e-mail address',
    before:
      'A change of your e-mail address was requested with your password. If it was you, follow this link to confirm the change, and the link that we sent to the new address:',
    link: { page: 'change-email', text: 'Confirm the change', lifetimeMs: HOUR_MS },
    after:
      'The link works once, within an hour. If it was not you, change your password, because another person knows it. Your address stays the same.',
  },
  confirm_new_address: {
    subject: 'Confirm your new e-mail address',
    before:
      'This e-mail address was entered as the new address of an account. If it was you, follow this link to confirm the change, and the link that we sent to the old address:',
    link: { page: 'change-email', text: 'Confirm the change', lifetimeMs: HOUR_MS },
    after: 'The link works once, within an hour. If it was not you, ignore this message.',
  },
  password_changed: {
    subject: 'Your password was changed',
    before: 'The password of your account was changed. All other logins have ended.',
    link: null,
    after:
      'If it was not you, reset your password at once: on the login page, ask for a link for a forgotten password.',
  },
  address_changed: {
    subject: 'Your e-mail address was changed',
    before:
      'This is no longer the e-mail address of your account. Both mailboxes confirmed the new address.',
    link: null,
    after:
      'If it was not you, the person who changed the address can read your mail and knows your password.',
  },
  team_deleted: {
    subject: 'A team that you were in was deleted',
    before: ({ actor }) =>
      `${actor ?? 'You'} deleted a team that you were in. Its apps no longer accept verifications and sign-ins, and its API keys no longer work.`,
    link: null,
    after: 'Your account and your other teams stay the same. The team cannot be restored.',
  },
  owner_removed: {
    subject: 'You are no longer in a team that you owned',
    before: ({ actor, team }) =>
      actor === null
        ? `You left the team ${team}, where you were an owner.`
        : `${actor} removed you from the team ${team}, where you were an owner.`,
    link: null,
    after:
      'If you did not expect this, ask the other owners of the team. The audit trail shows them who changed what.',
  },
  owner_demoted: {
    subject: 'You are no longer an owner of a team',
    before: ({ actor, team }) =>
      `${actor ?? 'You'} changed your role in the team ${team}. You are still a member, but no longer an owner.`,
    link: null,
    after:
      'If you did not expect this, ask the other owners of the team. The audit trail shows them who changed what.',
  },
} as const satisfies Record<string, Mail>

export type AccountMail = keyof typeof MAILS

/** True if the kind is one of the messages about accounts. */
export function isAccountMail(kind: string): kind is AccountMail {
  return Object.hasOwn(MAILS, kind)
}

/** Writes a message about an account. */
export function accountMail(
  kind: AccountMail,
  { baseUrl, token, actor, team, ...facts }: MailFacts,
): Message {
  const { link, before: template, ...fixedTexts } = MAILS[kind]
  const before = typeof template === 'string' ? template : template({ actor, team })
  const linkTo = ({ page }: { page: string }) => `${baseUrl}/api/v1/${page}?token=${token}`
  return writeMail(facts, {
    ...fixedTexts,
    before,
    link: link && { url: linkTo(link), text: link.text },
  })
}

/** Returns how long the link in a message works, or null for a message without a link. */
export function linkLifetimeMs(kind: AccountMail): number | null {
  return MAILS[kind].link?.lifetimeMs ?? null
}
