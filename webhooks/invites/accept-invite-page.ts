import type { Request, Response } from 'express'
import { isolateBidi } from '../../lib/design/html.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { deviceToRemember, setDeviceCookie } from '../accounts/device.ts'
import type { InviteQuery } from '../generated/sdk.ts'
import { buttonForm, newAccountForm, passwordForms } from '../mailed-links/link-forms.ts'
import {
  askAgain,
  type MailboxServices,
  type Mistake,
  readChosenPassword,
  readPasswords,
} from '../mailed-links/mailbox-pages.ts'
import { type InviteForm, LINK_ERROR_PAGE, type MailedLink } from '../mailed-links/mailed-link.ts'
import { linkToTeam, PORTAL_HOME } from '../pages/portal-links.ts'
import { type Page, sendPage } from '../pages/send-page.ts'
import { displayName } from '../route/input-text.ts'

/**
 * Shows the page behind the link in an invite. It names the team and changes nothing, since mail scanners follow links.
 */
export const askToAcceptInvite: Operation<MailboxServices, MailedLink> = {
  tag: 'Accounts',
  summary: 'The page behind the link in an invite',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: LINK_ERROR_PAGE,
  handle: (services) => async (link, _request, response) => {
    const invite = await findInvite(link.token, services, requestContext.get(response).requestId)
    sendPage(response, invite ? invitePage(link, invite) : INVITE_OVER)
  },
}

/**
 * Handles the form of the page: makes the user with the invited address a member, and shows the outcome.
 *
 * The link proves access to the mailbox, which is enough for a verified account. For an unverified account the form asks
 * for its password or a new one, since a stranger may have signed up with the address. For an address without an account
 * it asks for a name and a password.
 */
export const acceptInviteByLink: Operation<MailboxServices, InviteForm> = {
  tag: 'Accounts',
  summary: 'Join a team with the form behind the link in an invite',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: LINK_ERROR_PAGE,
  handle: (services) => async (form, request, response) => {
    const { requestId } = requestContext.get(response)
    const invite = await findInvite(form.token, services, requestId)
    if (!invite) return sendPage(response, INVITE_OVER)
    const outcome = await joinTeam(form, invite, services, [request, response])
    if (outcome === 'joined') return sendPage(response, joinedPage(invite))
    if (outcome !== 'not joined')
      return sendPage(response, askAgain(invitePage(form, invite), outcome))
    // The invite was used or withdrawn, or its address now has an account. An account needs another form.
    const currentInvite = await findInvite(form.token, services, requestId)
    const page = currentInvite && invitePage(form, currentInvite)
    sendPage(response, page ? { ...page, status: 400 } : INVITE_OVER)
  },
}

type Outcome = 'joined' | 'not joined' | Mistake

/** Joins the team as a verified, an unverified or a new account, depending on the invited address. */
async function joinTeam(
  form: InviteForm,
  invite: Invite,
  services: MailboxServices,
  [request, response]: [Request, Response],
): Promise<Outcome> {
  const { graphql } = services
  const headers = { 'x-request-id': requestContext.get(response).requestId }
  const token_hash = hashToken(form.token)
  if (invite.invitee && !isUnverified(invite))
    return outcomeOf((await graphql.AcceptInvite({ token_hash }, headers)).accept_invite)
  const account = invite.invitee
    ? await readPasswords(form, { user: invite.invitee }, services, request)
    : await readNewAccount(form, services, request)
  if ('mistake' in account) return account
  const device = deviceToRemember(request, services.baseUrl)
  const join = { token_hash, ...account, devices: device.hashes }
  const memberships =
    'name' in join
      ? (await graphql.SignUpAndJoin(join, headers)).memberships
      : (await graphql.OpenAccountAndJoin(join, headers)).accept_invite
  if (memberships.length > 0) setDeviceCookie(response, device, services.baseUrl)
  return outcomeOf(memberships)
}

function outcomeOf({ length }: readonly unknown[]): 'joined' | 'not joined' {
  return length > 0 ? 'joined' : 'not joined'
}

/** @throws unavailable */
async function readNewAccount(
  form: InviteForm,
  services: MailboxServices,
  request: Request,
): Promise<{ name: string; password_hash: string } | Mistake> {
  const { data: name } = displayName.safeParse(form.name)
  if (name === undefined) return { mistake: 'Enter a name of at most 128 characters.' }
  const password = await readChosenPassword(form, services, request)
  return 'mistake' in password ? password : { name, password_hash: password.hash }
}

type Invite = NonNullable<InviteQuery['invite_token_by_pk']>['invite']

function isUnverified({ invitee }: Invite): boolean {
  return invitee?.email_verified_at === null
}

function invitePage({ token, name }: MailedLink & { name?: string }, invite: Invite): Page {
  const form = { path: 'accept-invite', token, text: 'Join the team' }
  const inviter = invite.inviter ? ` by ${isolateBidi(invite.inviter.name)}` : ''
  const invitation = `You are invited${inviter} to the team “${isolateBidi(invite.team.name)}”.`
  if (!invite.invitee)
    return {
      title: 'Join a team',
      text: `${invitation} Choose a name and a password for your account.`,
      form: newAccountForm(form, invite.email, name),
    }
  if (!isUnverified(invite))
    return { title: 'Join a team', text: invitation, form: buttonForm(form, invite.email) }
  return {
    title: 'Join a team',
    text: `${invitation} There is already an account with your e-mail address. Enter its password.`,
    form: passwordForms(form, invite.email),
  }
}

async function findInvite(
  token: string,
  { graphql, now }: MailboxServices,
  requestId: string,
): Promise<Invite | null> {
  const { invite_token_by_pk: row } = await graphql.Invite(
    { token_hash: hashToken(token) },
    { 'x-request-id': requestId },
  )
  return row && Date.parse(row.invite.expires_at) > now() ? row.invite : null
}

function joinedPage({ team, email }: Invite): Page {
  return {
    title: 'You have joined the team',
    text: `You can close this page and log in as ${isolateBidi(email)}.`,
    portalLink: linkToTeam(team.id),
  }
}

const INVITE_OVER = {
  status: 400,
  title: 'This link no longer works',
  text: 'A link works once, within 7 days, unless the invite was withdrawn. If you are not in the team yet, ask for another invite.',
  portalLink: PORTAL_HOME,
}
