import type { RouteObject } from 'react-router'
import { FirstLoad } from '../layouts/first-load.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { PageFailure } from './page-failure.tsx'

const APP_PAGES: RouteObject[] = [
  {
    index: true,
    lazy: { Component: async () => (await import('../pages/app/app-page.tsx')).AppPage },
  },
  page(
    PAGE_PATHS.actions,
    async () => (await import('../pages/actions/actions-page.tsx')).ActionsPage,
  ),
  page(PAGE_PATHS.action, async () => (await import('../pages/action/action-page.tsx')).ActionPage),
  page(PAGE_PATHS.tryIt, async () => (await import('../pages/try-it/try-it-page.tsx')).TryItPage),
  page(
    PAGE_PATHS.debugProof,
    async () => (await import('../pages/debug-proof/debug-proof-page.tsx')).DebugProofPage,
  ),
  page(
    PAGE_PATHS.signIn,
    async () => (await import('../pages/sign-in/sign-in-page.tsx')).SignInPage,
  ),
  page(
    PAGE_PATHS.payments,
    async () => (await import('../pages/payments/payments-page.tsx')).PaymentsPage,
  ),
  page(
    PAGE_PATHS.requests,
    async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage,
  ),
]

const TEAM_PAGES: RouteObject[] = [
  {
    index: true,
    lazy: {
      Component: async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage,
    },
  },
  page(
    PAGE_PATHS.members,
    async () => (await import('../pages/members/members-page.tsx')).MembersPage,
  ),
  page(PAGE_PATHS.keys, async () => (await import('../pages/keys/keys-page.tsx')).KeysPage),
  page(PAGE_PATHS.audit, async () => (await import('../pages/audit/audit-page.tsx')).AuditPage),
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
  {
    path: PAGE_PATHS.app,
    lazy: { Component: async () => (await import('../layouts/app-layout.tsx')).AppLayout },
    children: APP_PAGES,
  },
  page('*', async () => (await import('../pages/not-found/not-found-page.tsx')).NotFound),
]

/** Every page with its address. The router loads a page's file on the first visit. */
export const routes: RouteObject[] = [
  {
    ErrorBoundary: PageFailure,
    HydrateFallback: FirstLoad,
    children: [
      page(
        PAGE_PATHS.logIn,
        async () => (await import('../pages/log-in/log-in-page.tsx')).LogInPage,
      ),
      page(
        PAGE_PATHS.signUp,
        async () => (await import('../pages/sign-up/sign-up-page.tsx')).SignUpPage,
      ),
      page(
        PAGE_PATHS.forgotPassword,
        async () =>
          (await import('../pages/forgot-password/forgot-password-page.tsx')).ForgotPasswordPage,
      ),
      {
        lazy: {
          Component: async () => (await import('../layouts/require-account.tsx')).RequireAccount,
        },
        children: [
          {
            lazy: {
              Component: async () => (await import('../layouts/plain-layout.tsx')).PlainLayout,
            },
            children: [
              page(
                PAGE_PATHS.home,
                async () => (await import('../pages/home/home-page.tsx')).HomePage,
              ),
              page(
                PAGE_PATHS.newTeam,
                async () => (await import('../pages/new-team/new-team-page.tsx')).NewTeamPage,
              ),
              page(
                PAGE_PATHS.account,
                async () => (await import('../pages/account/account-page.tsx')).AccountPage,
              ),
              page(
                '*',
                async () => (await import('../pages/not-found/not-found-page.tsx')).NotFound,
              ),
            ],
          },
          {
            path: PAGE_PATHS.team,
            lazy: {
              Component: async () => (await import('../layouts/team-layout.tsx')).TeamLayout,
            },
            children: TEAM_PAGES,
          },
        ],
      },
    ],
  },
]

function page(path: string, load: () => Promise<() => React.ReactNode>): RouteObject {
  return { path, lazy: { Component: load } }
}
