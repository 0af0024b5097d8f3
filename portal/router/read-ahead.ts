import type { LoaderFunctionArgs, ShouldRevalidateFunctionArgs } from 'react-router'
import { readUrlState } from '../components/url-state/url-parameters.ts'
import { loginsQuery } from '../pages/account/logins-query.ts'
import { actionQuery, peopleQuery } from '../pages/action/action.ts'
import { ACTIONS_PARAMETERS, actionsQuery } from '../pages/actions/actions-query.ts'
import { appsFilter } from '../pages/apps/apps-filter.ts'
import { AUDIT_PARAMETERS, auditQuery } from '../pages/audit/audit-query.ts'
import { KEYS_PARAMETERS, keysQuery } from '../pages/keys/keys-query.ts'
import { invitesQuery, MEMBERS_PARAMETERS, membersQuery } from '../pages/members/members-query.ts'
import { overviewQuery } from '../pages/overview/overview-query.ts'
import { PAYMENTS_PARAMETERS, paymentsQuery } from '../pages/payments/payments-query.ts'
import { redirectsQuery } from '../pages/sign-in/redirects-query.ts'
import { accountQuery } from '../session/account.tsx'
import { membershipsQuery } from '../session/memberships.ts'
import { appsQuery } from '../team/apps-query.ts'
import { appQuery } from '../team/current-app.tsx'
import { teamQuery } from '../team/current-team.tsx'
import { queryClient } from './query-client.ts'

/** The ids in the address of a page, empty if the address has no such id, and the page's filters. */
type Place = { teamId: string; appId: string; actionId: string; filters: URLSearchParams }

/**
 * The reads of each route. The router starts them together, with the ids in the address, and next to the files of the page.
 * Otherwise, a page of an action would read the account, the team, the app, the action and its people one after another.
 * Figures are missing here: counting is slow, so the page starts it after the fast reads, within the user's share of the database.
 * No reads are awaited here: the page shows placeholders, and the error of a read, in the place of its data.
 */
const READS = {
  account: () => startRead(accountQuery),
  home: () => startRead(membershipsQuery),
  team: ({ teamId }) => startRead(teamQuery(teamId)),
  app: ({ appId }) => startRead(appQuery(appId)),
  overview: ({ teamId }) => startRead(overviewQuery(teamId)),
  apps: ({ teamId, filters }) => {
    const { search, isArchived } = appsFilter(filters)
    return startPage(appsQuery(teamId, search, isArchived))
  },
  members: ({ teamId, filters }) => [
    startPage(membersQuery(teamId, readUrlState(filters, MEMBERS_PARAMETERS))),
    startRead(invitesQuery(teamId)),
  ],
  keys: ({ teamId, filters }) =>
    startPage(keysQuery(teamId, readUrlState(filters, KEYS_PARAMETERS))),
  audit: ({ teamId, filters }) =>
    startPage(auditQuery(teamId, readUrlState(filters, AUDIT_PARAMETERS))),
  logins: () => startRead(loginsQuery),
  actions: ({ appId, filters }) =>
    startPage(actionsQuery(appId, readUrlState(filters, ACTIONS_PARAMETERS))),
  action: ({ actionId }) => [startRead(actionQuery(actionId)), startPage(peopleQuery(actionId))],
  signIn: ({ appId }) => startRead(redirectsQuery(appId)),
  payments: ({ appId, filters }) =>
    startPage(paymentsQuery(appId, readUrlState(filters, PAYMENTS_PARAMETERS))),
} satisfies Record<string, (place: Place) => unknown>

/** The name of the reads of a route. */
export type Reads = keyof typeof READS

/** Returns the loader of a route. The loader starts the route's reads, unless the cache has fresh data. */
export function readAhead(reads: Reads) {
  return ({ params, request }: LoaderFunctionArgs) => {
    const { teamId = '', appId = '', actionId = '' } = params
    void READS[reads]({ teamId, appId, actionId, filters: new URL(request.url).searchParams })
    return null
  }
}

/** Starts the reads of a layout again with each page, since the user's role may have changed. */
export function isOtherPage({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs): boolean {
  return currentUrl.pathname !== nextUrl.pathname
}

const startRead: typeof queryClient.prefetchQuery = (query) => queryClient.prefetchQuery(query)

const startPage: typeof queryClient.prefetchInfiniteQuery = (query) =>
  queryClient.prefetchInfiniteQuery(query)
