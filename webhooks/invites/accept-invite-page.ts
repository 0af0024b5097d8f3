import { isolateBidi } from '../../lib/http/html.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { hashToken } from '../../lib/secrets/secret.ts'
import { rememberDevice } from '../accounts/device.ts'
import type { InviteQuery } from '../generated/sdk.ts'
import { askAgain, type ClaimServices, readClaim } from '../mailed-links/claim-account.ts'
import { buttonForm, passwordForms } from '../mailed-links/link-forms.ts'
import { linkErrorPage, type MailedLink, type PasswordForm } from '../mailed-links/mailed-link.ts'
import { type Page, sendPage } from '../pages/send-page.ts'
import { PORTAL_HOME } from '../pages/ways-on.ts'
import type { Operation } from '../route/operation.ts'

/**
 * The page that the link in an invite leads to. It names the team and changes nothing, since mail
 * scanners follow links.
 */
export const askToAcceptInvite: Operation<ClaimServices, MailedLink> = {
  tag: 'Accounts',
  summary: 'The page that the link in an invite leads to',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle: (services) => async (link, _request, response) => {
    const invite = await findInvite(link.token, services, requestContext.get(response).requestId)
    sendPage(response, invite ? invitePage(link, invite) : INVITE_OVER)
  },
}

/**
 * What the page's forms do: make the account of the invited address a member, and show the outcome.
 *
 * Having the link proves access to that mailbox, so nothing else is asked for; but for an address that was never
 * verified, whose account somebody else may have made, a password.
 */
export const acceptInviteByLink: Operation<ClaimServices, PasswordForm> = {
  tag: 'Accounts',
  summary: "Join a team: what the page's forms send",
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle: (services) => async (form, request, response) => {
    const { requestId } = requestContext.get(response)
    const invite = await findInvite(form.token, services, requestId)
    if (!invite) return sendPage(response, INVITE_OVER)
    if (!invite.invitee) return sendPage(response, NO_ACCOUNT)
    const claim = isUnverified(invite)
      ? await readClaim(form, { user: invite.invitee }, services, request)
      : null
    if (claim && 'mistake' in claim)
      return sendPage(response, askAgain(invitePage(form, invite), claim))
    const headers = { 'x-request-id': requestId }
    const token_hash = hashToken(form.token)
    const { accept_invite: memberships } = claim
      ? await services.graphql.ClaimAndJoin(
          { token_hash, ...claim, devices: rememberDevice(request, response).hashes },
          headers,
        )
      : await services.graphql.AcceptInvite({ token_hash }, headers)
    sendPage(response, memberships.length > 0 ? TEAM_JOINED : INVITE_OVER)
  },
}

type Invite = NonNullable<InviteQuery['invite_token_by_pk']>['invite']

function isUnverified({ invitee }: Invite): boolean {
  return invitee?.email_verified_at === null
}

function invitePage({ token }: MailedLink, invite: Invite): Page {
  const form = { path: 'accept-invite', token, text: 'Join the team' }
  const invited = `You are invited to the team “${isolateBidi(invite.team.name)}”.`
  if (!isUnverified(invite)) return { title: 'Join a team', text: invited, form: buttonForm(form) }
  return {
    title: 'Join a team',
    text: `${invited} There is an account with your e-mail address: enter its password.`,
    form: passwordForms(form, invite.email),
  }
}

async function findInvite(
  token: string,
  { graphql, now }: ClaimServices,
  requestId: string,
): Promise<Invite | null> {
  const { invite_token_by_pk: row } = await graphql.Invite(
    { token_hash: hashToken(token) },
    { 'x-request-id': requestId },
  )
  return row && Date.parse(row.invite.expires_at) > now() ? row.invite : null
}

const TEAM_JOINED = {
  title: 'You are in the team',
  text: 'You can close this page and log in.',
  way: PORTAL_HOME,
}

const NO_ACCOUNT = {
  status: 400,
  title: 'First you need an account',
  text: 'Sign up with the address that this link was sent to and verify it; then follow the link again.',
}

const INVITE_OVER = {
  status: 400,
  title: 'This link no longer works',
  text: 'A link works once, within 7 days, unless the invite was taken back. Ask for another invite.',
  way: PORTAL_HOME,
}
