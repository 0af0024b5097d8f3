import type { Message } from '../mail/mailer.ts'
import { type MailWords, writeMail } from '../mail/write-mail.ts'

/** The parts of a message about an account. The user who caused the message chose none of them but their own address. */
export type MailFacts = {
  id: string
  to: string
  baseUrl: string
  token: string
  /** The e-mail address of the user who caused the message, or else a name for the operator. */
  actor: string
  /** The id of the team whose owner the recipient was; empty for other messages. */
  team: string
}

type Mail = Omit<MailWords, 'link' | 'before'> & {
  before: string | ((facts: Pick<MailFacts, 'actor' | 'team'>) => string)
  /** Null for a message without one. */
  link: { page: string; text: string; lifetimeMs: number } | null
}

const HOUR_MS = 3_600_000

/** The messages that go to users, by their kind; those with a link get a token for it. */
const MAILS = {
  verify_email: {
    subject: 'Verify your e-mail address',
    before:
      'Somebody signed up with this e-mail address. If it was you, follow this link to verify it:',
    link: { page: 'verify-email', text: 'Verify my address', lifetimeMs: 24 * HOUR_MS },
    after: 'The link works once, within 24 hours. If it was not you, you need not do anything.',
  },
  reset_password: {
    subject: 'Choose another password',
    before:
      'Somebody asked for another password for the account of this e-mail address. If it was you, follow this link to choose it:',
    link: { page: 'reset-password', text: 'Choose another password', lifetimeMs: HOUR_MS },
    after:
      'The link works once, within an hour. If it was not you, you need not do anything: your password stays as it is.',
  },
  confirm_old_address: {
    subject: 'Confirm your new e-mail address',
    before:
      'Somebody who knows your password asked to change the e-mail address of your account. If it was you, follow this link to confirm it, and the one that was sent to the new address:',
    link: { page: 'change-email', text: 'Confirm the change', lifetimeMs: HOUR_MS },
    after:
      'The link works once, within an hour. If it was not you, change your password: your address stays as it is.',
  },
  confirm_new_address: {
    subject: 'Confirm your new e-mail address',
    before:
      'Somebody asked to change the e-mail address of their account to this one. If it was you, follow this link to confirm it, and the one that was sent to the old address:',
    link: { page: 'change-email', text: 'Confirm the change', lifetimeMs: HOUR_MS },
    after: 'The link works once, within an hour. If it was not you, you need not do anything.',
  },
  password_changed: {
    subject: 'Your password was changed',
    before: 'The password of your account was changed, and its other logins were ended.',
    link: null,
    after:
      'If it was not you, choose another password at once, with the link for a forgotten password.',
  },
  address_changed: {
    subject: 'Your e-mail address was changed',
    before:
      'The account that had this e-mail address now has another one, which both mailboxes have confirmed.',
    link: null,
    after: 'If it was not you, whoever did it can read your mail and knew your password.',
  },
  team_deleted: {
    subject: 'A team that you were in was deleted',
    before: ({ actor }) =>
      `${actor} deleted a team that you were in, for everybody in it. Nobody can verify or sign in with its apps any more, and its API keys are refused.`,
    link: null,
    after: 'Your account and your other teams stay as they are. Nobody can bring the team back.',
  },
  owner_removed: {
    subject: 'You are no longer in a team that you owned',
    before: ({ actor, team }) =>
      `${actor} ended your membership of the team ${team}, of which you were an owner.`,
    link: null,
    after:
      'If you did not expect this, ask the other owners of the team: they see in its audit trail who changed what.',
  },
  owner_demoted: {
    subject: 'You are no longer an owner of a team',
    before: ({ actor, team }) =>
      `${actor} changed your role in the team ${team}. You are still in the team, but you are no longer an owner of it.`,
    link: null,
    after:
      'If you did not expect this, ask the other owners of the team: they see in its audit trail who changed what.',
  },
} as const satisfies Record<string, Mail>

export type AccountMail = keyof typeof MAILS

/** Whether a kind of message is one of these. */
export function isAccountMail(kind: string): kind is AccountMail {
  return Object.hasOwn(MAILS, kind)
}

/** A message about an account. */
export function accountMail(
  kind: AccountMail,
  { baseUrl, token, actor, team, ...facts }: MailFacts,
): Message {
  const { link, before: given, ...rest } = MAILS[kind]
  const words = { ...rest, before: typeof given === 'string' ? given : given({ actor, team }) }
  const linkTo = ({ page }: { page: string }) => `${baseUrl}/api/v1/${page}?token=${token}`
  return writeMail(facts, { ...words, link: link && { url: linkTo(link), text: link.text } })
}

/** How long the link in a message works; null for messages without a link. */
export function linkLifetimeMs(kind: AccountMail): number | null {
  return MAILS[kind].link?.lifetimeMs ?? null
}
