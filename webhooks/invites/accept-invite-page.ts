import { isolateBidi } from '../../lib/http/html.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { hashToken } from '../../lib/secrets/secret.ts'
import type { Sdk } from '../generated/sdk.ts'
import { buttonForm, linkErrorPage, type MailedLink } from '../mail/mailed-link.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Operation } from '../route/operation.ts'

export type InvitePageServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * The page that the link in an invite leads to. It names the team and changes nothing, since mail
 * scanners follow links.
 */
export const askToAcceptInvite: Operation<InvitePageServices, MailedLink> = {
  tag: 'Accounts',
  summary: 'The page that the link in an invite leads to',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle: (services) => async (link, _request, response) => {
    const invite = await findInvite(link.token, services, requestContext.get(response).requestId)
    if (!invite) return sendPage(response, INVITE_OVER)
    sendPage(response, {
      title: 'Join a team',
      text: `You are invited to the team “${isolateBidi(invite.team.name)}”.`,
      form: buttonForm('accept-invite', link, 'Join the team'),
    })
  },
}

/**
 * What the button does: makes the account of the invited address a member, and shows the outcome.
 * Having the link proves access to that mailbox, so nothing else is asked for.
 */
export const acceptInviteByLink: Operation<InvitePageServices, MailedLink> = {
  tag: 'Accounts',
  summary: "Join a team: what the page's button sends",
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle:
    (services) =>
    async ({ token }, _request, response) => {
      const { requestId } = requestContext.get(response)
      const { accept_invite: memberships } = await services.graphql.AcceptInvite(
        { token_hash: hashToken(token) },
        { 'x-request-id': requestId },
      )
      if (memberships.length > 0) return sendPage(response, TEAM_JOINED)
      const isThere = await findInvite(token, services, requestId)
      sendPage(response, isThere ? NO_ACCOUNT : INVITE_OVER)
    },
}

async function findInvite(token: string, { graphql, now }: InvitePageServices, requestId: string) {
  const { invite_token_by_pk: row } = await graphql.Invite(
    { token_hash: hashToken(token) },
    { 'x-request-id': requestId },
  )
  return row && Date.parse(row.invite.expires_at) > now() ? row.invite : null
}

const TEAM_JOINED = {
  title: 'You are in the team',
  text: 'You can close this page and log in.',
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
}
