import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { beginRequest } from '../lib/runtime/http/begin-request.ts'
import { refusePath } from '../lib/runtime/http/refuse-route.ts'
import type { Log } from '../lib/runtime/log/log.ts'
import type { RequestLog } from '../lib/runtime/request-log/request-log.ts'
import {
  createDocsPage,
  docsStart,
  docsStyle,
  docsViewer,
} from '../lib/runtime/web/docs/docs-page.ts'
import { healthz, type ReadyServices, readyz } from '../lib/runtime/web/health.ts'
import { noInput } from '../lib/runtime/web/read-input.ts'
import { mountRoutes, type Route, type RouteServices, unlimited } from '../lib/runtime/web/route.ts'
import { LoginInput, type LoginServices, login } from './accounts/login.ts'
import { type SignupServices, signup } from './accounts/signup.ts'
import { SignupInput } from './accounts/signup-input.ts'
import { AuthHookInput, type AuthHookServices, authHook } from './auth-hook/auth-hook.ts'
import type { ActionServices } from './hasura-actions/action.ts'
import { ActionInput, runHasuraAction } from './hasura-actions/actions.ts'
import { type ExpireServices, expire } from './internal/expire.ts'
import { fillExternalNullifier, NewActionInput } from './internal/fill-external-nullifier.ts'
import { type RefreshAddressesServices, refreshAddresses } from './internal/refresh-addresses.ts'
import { acceptInviteByLink, askToAcceptInvite } from './invites/accept-invite-page.ts'
import { type JwksServices, jwks } from './keys/jwks.ts'
import { type MakeKeyServices, makeKey } from './keys/make-key.ts'
import { type RenewKeyServices, renewKey } from './keys/renew-key.ts'
import { askToConfirmEmailChange, confirmEmailChange } from './mailed-links/change-email.ts'
import type { MailboxServices } from './mailed-links/mailbox-pages.ts'
import { InviteFormInput, MailedLinkInput, PasswordFormInput } from './mailed-links/mailed-link.ts'
import {
  forgotPassword,
  RequestLinkInput,
  resendVerification,
} from './mailed-links/request-link.ts'
import { askForNewPassword, resetPassword } from './mailed-links/reset-password.ts'
import { askToVerifyEmail, verifyEmail } from './mailed-links/verify-email.ts'
import { createAnswerObserver, type WebhooksMetrics } from './monitoring/metrics.ts'
import { type OpenApiServices, openApi } from './openapi/openapi.ts'
import { type DeliverMailServices, deliverMail } from './outbox/deliver-mail.ts'
import { type PortalOptions, portal } from './pages/portal.ts'
import { hasPortal, PORTAL_HOME, rememberPortal } from './pages/portal-links.ts'
import { LOCAL_PATH, startPage } from './pages/start-page.ts'
import type { RefreshServices } from './payments/refresh-leased.ts'
import { refreshTransactions } from './payments/refresh-transactions.ts'
import {
  ReferenceInput,
  TransactionInput,
  type TransactionServices,
  transaction,
  transactionByReference,
} from './payments/transaction.ts'
import { UserOperationInput, userOperation } from './payments/user-operation.ts'
import { PrecheckInput, type PrecheckServices, precheck } from './precheck/precheck.ts'
import { PrecheckActionInput, precheckAction } from './precheck/precheck-action.ts'
import { PricesInput, prices } from './prices/prices.ts'
import { type RefreshPricesServices, refreshPrices } from './prices/refresh-prices.ts'
import { type ForwardServices, forwardGraphql, queryGraphql } from './proxy/forward.ts'
import { ProofContextInput, proofContext } from './relying-party/proof-context.ts'
import { RpStatusInput, rpStatus } from './relying-party/rp-status.ts'
import { anyone, anyPage, type HasuraServices, onlyHasura } from './route/audiences.ts'
import { showErrors, showPagesToReaders } from './route/show-errors.ts'
import { beginFirstSession, beginSession } from './session/begin-session.ts'
import { currentSession } from './session/current-session.ts'
import { type EndSessionServices, endSession } from './session/end-session.ts'
import { VerifyInput, type VerifyServices, verify } from './verify/verify.ts'
import { VerifyV1Input, type VerifyV1Services, verifyV1 } from './verify/verify-v1.ts'
import { VerifyV4Input, verifyV4 } from './verify/verify-v4.ts'

export type Services = RouteServices &
  HasuraServices &
  ActionServices &
  AuthHookServices &
  MailboxServices &
  DeliverMailServices &
  EndSessionServices &
  ExpireServices &
  ForwardServices &
  JwksServices &
  LoginServices &
  MakeKeyServices &
  OpenApiServices &
  PrecheckServices &
  ReadyServices &
  RefreshAddressesServices &
  RenewKeyServices &
  SignupServices &
  RefreshPricesServices &
  RefreshServices &
  TransactionServices &
  VerifyServices &
  VerifyV1Services & {
    metrics: WebhooksMetrics
    /** The refused requests of each app. */
    requestLog: RequestLog
    trustedProxyHops: number
    /** Null if this server serves no portal. */
    portal: PortalOptions | null
    /** The page at `/local`; set by `npm start` only. */
    startPageFile: string | undefined
    log: Log
  }

const docsPage = createDocsPage({
  title: 'Developer API',
  home: (response) => (hasPortal(response) ? PORTAL_HOME.path : null),
})

const description = openApi(() => routes, { isInternal: false })
const internalDescription = openApi(() => routes, { isInternal: true })

/** The routes that a separate port may serve as well (spec 4.2). */
const priceRoutes: readonly Route<Services>[] = [
  anyPage.get('/public/v1/miniapps/prices', 'prices', PricesInput, prices),
]

/**
 * The routes of the developer API, without the pages of `pagesOf`. A line names the audience, the method, the path, the
 * rate limit, the schema of the input, and the operation.
 */
export const routes: readonly Route<Services>[] = [
  anyone.post('/api/v2/verify{/:app_id}', 'verify', VerifyInput, verify),
  anyone.post('/api/v4/verify{/:app_id}', 'verify', VerifyV4Input, verifyV4),
  anyPage.post('/api/v4/proof-context{/:id}', 'precheck', ProofContextInput, proofContext),
  anyone.get('/api/v4/rp-status{/:rp_id}', 'precheck', RpStatusInput, rpStatus),
  anyPage.post('/api/v1/verify', 'verify', VerifyV1Input, verifyV1),
  anyPage.getOrPost('/api/v1/precheck{/:app_id}', 'precheck', PrecheckInput, precheck),
  anyPage.getOrPost(
    '/api/v1/precheck{/:id}',
    'precheckAction',
    PrecheckActionInput,
    precheckAction,
  ),
  anyPage.getOrPost('/api/v1/jwks', unlimited, noInput, jwks),
  anyPage.get('/api/v2/minikit/transaction', 'transaction', ReferenceInput, transactionByReference),
  anyPage.get(
    '/api/v2/minikit/transaction{/:transaction_id}',
    'transaction',
    TransactionInput,
    transaction,
  ),
  anyPage.get(
    '/api/v2/minikit/userop{/:user_op_hash}',
    'userOperation',
    UserOperationInput,
    userOperation,
  ),
  ...priceRoutes,
  anyPage.post('/api/v1/signup', 'signup', SignupInput, signup),
  anyPage.post('/api/v1/login', 'login', LoginInput, login),
  anyPage.post('/api/v1/resend-verification', 'resend', RequestLinkInput, resendVerification),
  anyone.post('/api/v1/forgot-password', 'forgotPassword', RequestLinkInput, forgotPassword),
  anyone.get('/api/v1/verify-email', 'mailedLink', MailedLinkInput, askToVerifyEmail),
  anyone.form('/api/v1/verify-email', 'mailedLink', PasswordFormInput, verifyEmail),
  anyone.get('/api/v1/reset-password', 'mailedLink', MailedLinkInput, askForNewPassword),
  anyone.form('/api/v1/reset-password', 'mailedLink', PasswordFormInput, resetPassword),
  anyone.get('/api/v1/change-email', 'mailedLink', MailedLinkInput, askToConfirmEmailChange),
  anyone.form('/api/v1/change-email', 'mailedLink', PasswordFormInput, confirmEmailChange),
  anyone.get('/api/v1/accept-invite', 'mailedLink', MailedLinkInput, askToAcceptInvite),
  anyone.form('/api/v1/accept-invite', 'mailedLink', InviteFormInput, acceptInviteByLink),
  anyone.get('/api/v1/session', unlimited, noInput, currentSession),
  anyone.post('/api/v1/session/login', 'login', LoginInput, beginSession),
  anyone.post('/api/v1/session/signup', 'signup', SignupInput, beginFirstSession),
  anyone.post('/api/v1/session/logout', unlimited, noInput, endSession),
  anyPage.get('/v1/graphql', unlimited, noInput, queryGraphql),
  anyPage.post('/v1/graphql', unlimited, noInput, forwardGraphql),
  anyone.post('/hasura/auth', unlimited, AuthHookInput, authHook),
  onlyHasura.post('/hasura/actions', unlimited, ActionInput, runHasuraAction),
  anyone.get('/hasura/openapi.json', unlimited, noInput, internalDescription),
  onlyHasura.post('/api/_jwk-gen', unlimited, noInput, makeKey),
  onlyHasura.post('/api/_jwk-renew', unlimited, noInput, renewKey),
  onlyHasura.post('/api/_ens', unlimited, noInput, refreshAddresses),
  onlyHasura.post('/api/_expire', unlimited, noInput, expire),
  onlyHasura.post('/api/_gen-external-nullifier', unlimited, NewActionInput, fillExternalNullifier),
  onlyHasura.post('/api/_mail', unlimited, noInput, deliverMail),
  onlyHasura.post('/api/_transactions', unlimited, noInput, refreshTransactions),
  onlyHasura.post('/api/_prices', unlimited, noInput, refreshPrices),
  anyone.get('/healthz', unlimited, noInput, healthz),
  anyone.get('/readyz', unlimited, noInput, readyz),
  anyPage.get('/openapi.json', unlimited, noInput, description),
  anyone.get('/docs', unlimited, noInput, docsPage),
  anyone.get('/docs/start.js', unlimited, noInput, docsStart),
  anyone.get('/docs/viewer.js', unlimited, noInput, docsViewer),
  anyone.get('/docs/viewer.css', unlimited, noInput, docsStyle),
]

/** Returns the app of the developer API. */
export function createApp(services: Services): Express {
  return webApp(routes, services, pagesOf(services))
}

/** Returns the app that serves only prices, for a separate port. */
export function createPricesApp(services: Services): Express {
  return webApp(priceRoutes, services, [])
}

/** Returns the handlers of the HTML pages that are not in the table of routes. */
function pagesOf({ portal: built, startPageFile: file, baseUrl }: Services): RequestHandler[] {
  return [
    ...(built ? [portal(built)] : []),
    ...(file ? [express.Router().get(LOCAL_PATH, startPage({ file, baseUrl }))] : []),
  ]
}

/**
 * Forbids caching, since responses hold tokens, keys, or data that changes. A route that allows caching overrides
 * this.
 */
const forbidCaching: RequestHandler = (_request, response, next) => {
  response.setHeader('cache-control', 'no-store')
  next()
}

/** The headers of every response. Browsers render no JSON, so the policy allows nothing. Pages set another policy. */
const SECURITY_HEADERS = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})

function webApp(
  table: readonly Route<Services>[],
  services: Services,
  pages: readonly RequestHandler[],
): Express {
  const web = express()
  web.set('trust proxy', services.trustedProxyHops)
  web.set('etag', false)
  web.set('case sensitive routing', true)
  rememberPortal(web, pages.length > 0 && services.portal !== null)
  web.use(
    SECURITY_HEADERS,
    beginRequest(services.log, createAnswerObserver(services.metrics, services.requestLog)),
    forbidCaching,
  )
  mountRoutes(web, table, services)
  web.use(showPagesToReaders, ...pages, refusePath, showErrors)
  return web
}
