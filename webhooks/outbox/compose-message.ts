import { hashToken, makeToken } from '../../lib/runtime/secrets/secret.ts'
import type { LeaseMailMutation, Sdk } from '../generated/sdk.ts'
import { inviteMail } from '../invites/invite-mail.ts'
import type { Message } from '../mail/mailer.ts'
import { accountMail, isAccountMail, linkLifetimeMs } from '../mailed-links/account-mails.ts'

/** A message of the outbox: its kind, its recipient and the rows that it is about. */
export type QueuedMail = LeaseMailMutation['mail'][number]

export type ComposeServices = {
  graphql: Sdk
  baseUrl: string
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Writes a message. Creates the token of its link only now, so that the database stores no token but only its hash. */
export async function composeMessage(
  { id, kind, former_email, actor_email, team_id, user, email_change, invite }: QueuedMail,
  { graphql, baseUrl, now }: ComposeServices,
): Promise<Message> {
  const token = makeToken()
  const token_hash = hashToken(token)
  if (invite) {
    await graphql.StoreInviteToken({ invite_id: invite.id, token_hash })
    return inviteMail({ id, to: invite.email, baseUrl, token })
  }
  if (!user || !isAccountMail(kind)) throw new Error('The message has no recipient.')
  const newEmail = kind === 'confirm_new_address' ? email_change?.email : undefined
  const to = newEmail ?? former_email ?? user.email
  const lifetimeMs = linkLifetimeMs(kind)
  if (lifetimeMs) {
    const expires_at = new Date(now() + lifetimeMs).toISOString()
    const email_change_id = email_change?.id ?? null
    await graphql.StoreAccountLink({
      user_id: user.id,
      email: to,
      kind,
      token_hash,
      email_change_id,
      expires_at,
    })
  }
  const actor = actor_email === to ? null : (actor_email ?? 'The operator of the platform')
  return accountMail(kind, { id, to, baseUrl, token, actor, team: team_id ?? '' })
}
