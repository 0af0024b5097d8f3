import type { ReactNode } from 'react'
import type { RouteObject } from 'react-router'
import { FirstLoad } from '../layouts/first-load.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { Frame } from './frame.tsx'
import { PageFailure, PortalFailure } from './page-failure.tsx'
import { isOtherPage, type Reads, readAhead } from './read-ahead.ts'

type LoadPage = () => Promise<() => ReactNode>

const APP_PAGES: RouteObject[] = [
  { index: true, ...loading(async () => (await import('../pages/app/app-page.tsx')).AppPage) },
  page(
    PAGE_PATHS.actions,
    async () => (await import('../pages/actions/actions-page.tsx')).ActionsPage,
    'actions',
  ),
  page(
    PAGE_PATHS.action,
    async () => (await import('../pages/action/action-page.tsx')).ActionPage,
    'action',
  ),
  page(PAGE_PATHS.tryIt, async () => (await import('../pages/try-it/try-it-page.tsx')).TryItPage),
  page(
    PAGE_PATHS.debugProof,
    async () => (await import('../pages/debug-proof/debug-proof-page.tsx')).DebugProofPage,
  ),
  page(
    PAGE_PATHS.signIn,
    async () => (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage,
    'signIn',
  ),
  page(
    PAGE_PATHS.payments,
    async () => (await import('../pages/payments/payments-page.tsx')).PaymentsPage,
    'payments',
  ),
  page(
    PAGE_PATHS.requests,
    async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage,
  ),
]

const TEAM_PAGES: RouteObject[] = [
  {
    index: true,
    ...loading(
      async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage,
      'overview',
    ),
  },
  page(PAGE_PATHS.apps, async () => (await import('../pages/apps/apps-page.tsx')).AppsPage, 'apps'),
  page(
    PAGE_PATHS.members,
    async () => (await import('../pages/members/members-page.tsx')).MembersPage,
    'members',
  ),
  page(PAGE_PATHS.keys, async () => (await import('../pages/keys/keys-page.tsx')).KeysPage, 'keys'),
  page(
    PAGE_PATHS.audit,
    async () => (await import('../pages/audit/audit-page.tsx')).AuditPage,
    'audit',
  ),
  page(
    PAGE_PATHS.graphql,
    async () => (await import('../pages/explorer/explorer-page.tsx')).ExplorerPage,
  ),
  page(
    PAGE_PATHS.teamSettings,
    async () => (await import('../pages/team-settings/team-settings-page.tsx')).TeamSettingsPage,
  ),
  page(
    PAGE_PATHS.newApp,
    async () => (await import('../pages/new-app/new-app-page.tsx')).NewAppPage,
  ),
  layout(
    PAGE_PATHS.app,
    async () => (await import('../layouts/app-layout.tsx')).AppLayout,
    'app',
    APP_PAGES,
  ),
  page('*', loadNotFound),
]

const PLAIN_PAGES: RouteObject[] = [
  page(PAGE_PATHS.home, async () => (await import('../pages/home/home-page.tsx')).HomePage, 'home'),
  page(
    PAGE_PATHS.newTeam,
    async () => (await import('../pages/new-team/new-team-page.tsx')).NewTeamPage,
  ),
  page(
    PAGE_PATHS.account,
    async () => (await import('../pages/account/account-page.tsx')).AccountPage,
    'logins',
  ),
  page('*', loadNotFound),
]

const PUBLIC_PAGES: RouteObject[] = [
  page(PAGE_PATHS.logIn, async () => (await import('../pages/log-in/log-in-page.tsx')).LogInPage),
  page(
    PAGE_PATHS.signUp,
    async () => (await import('../pages/sign-up/sign-up-page.tsx')).SignUpPage,
  ),
  page(
    PAGE_PATHS.forgotPassword,
    async () =>
      (await import('../pages/forgot-password/forgot-password-page.tsx')).ForgotPasswordPage,
  ),
]

/** Every page with its address. The router loads a page's file on the first visit. */
export const routes: RouteObject[] = [
  {
    Component: Frame,
    ErrorBoundary: PortalFailure,
    HydrateFallback: FirstLoad,
    children: [
      ...PUBLIC_PAGES,
      {
        ...loading(
          async () => (await import('../layouts/require-account.tsx')).RequireAccount,
          'account',
        ),
        children: [
          {
            ...loading(async () => (await import('../layouts/plain-layout.tsx')).PlainLayout),
            children: [{ ErrorBoundary: PageFailure, children: PLAIN_PAGES }],
          },
          layout(
            PAGE_PATHS.team,
            async () => (await import('../layouts/team-layout.tsx')).TeamLayout,
            'team',
            TEAM_PAGES,
          ),
        ],
      },
    ],
  },
]

function page(path: string, load: LoadPage, reads?: Reads): RouteObject {
  return { path, ...loading(load, reads) }
}

/** A layout stays when one of its pages fails. */
function layout(path: string, load: LoadPage, reads: Reads, pages: RouteObject[]): RouteObject {
  return {
    path,
    ...loading(load, reads),
    children: [{ ErrorBoundary: PageFailure, children: pages }],
  }
}

/** Loads the file of a page and its data at the same time. A change of the page's filters starts no reads: the page does that. */
function loading(load: LoadPage, reads?: Reads) {
  return {
    lazy: { Component: load },
    ...(reads && { loader: readAhead(reads), shouldRevalidate: isOtherPage }),
  }
}

async function loadNotFound() {
  return (await import('../pages/not-found/not-found-page.tsx')).NotFound
}
