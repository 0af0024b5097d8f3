import express, { type Express } from 'express'
import helmet from 'helmet'
import { beginRequest, type RequestOutcome } from '../lib/runtime/http/begin-request.ts'
import { refusePath } from '../lib/runtime/http/refuse-route.ts'
import type { RequestContext } from '../lib/runtime/http/request-context.ts'
import type { Log } from '../lib/runtime/log/log.ts'
import { createRefusalRecorder } from '../lib/runtime/request-log/record-refusals.ts'
import type { RequestLog } from '../lib/runtime/request-log/request-log.ts'
import { type Metrics, recordAnswers } from '../lib/runtime/telemetry/metrics.ts'
import { healthz, type ReadyServices, readyz } from '../lib/runtime/web/health.ts'
import { noInput } from '../lib/runtime/web/read-input.ts'
import { mountRoutes, type Route, type RouteServices, unlimited } from '../lib/runtime/web/route.ts'
import { anyone, anyPage, clientPage } from './endpoints/audiences.ts'
import { AuthorizeInput, authorize, authorizeByPost, resume } from './endpoints/authorize.ts'
import { discover, readKeys } from './endpoints/discovery.ts'
import {
  IntrospectInput,
  type IntrospectServices,
  introspectToken,
} from './endpoints/introspect.ts'
import { CancelInput, type CancelServices, cancelSignIn } from './endpoints/login/cancel-sign-in.ts'
import { type ShowSignInServices, showSignIn } from './endpoints/login/show-sign-in.ts'
import {
  ProofInput,
  type SubmitProofServices,
  submitProof,
} from './endpoints/login/submit-proof.ts'
import {
  RegisterInput,
  type RegisterServices,
  registerSignInClient,
} from './endpoints/registration/register.ts'
import {
  type RegisteredServices,
  showRegisteredClient,
} from './endpoints/registration/registered-client.ts'
import { exchangeCode, TokenInput, type TokenServices } from './endpoints/token.ts'
import { readClaims } from './endpoints/userinfo.ts'
import type { Sdk } from './generated/sdk.ts'
import { describeSignIn } from './openapi/document.ts'
import { ASSETS } from './page/assets.ts'
import { setIssuerHost } from './provider/set-issuer-host.ts'
import { showErrors, showErrorsOnPages } from './provider/show-errors.ts'

export type Services = RouteServices &
  CancelServices &
  IntrospectServices &
  ReadyServices &
  RegisterServices &
  RegisteredServices &
  ShowSignInServices &
  SubmitProofServices &
  TokenServices & {
    graphql: Sdk
    /** True if a website may begin a sign-in with a POSTed form. */
    allowsPostToAuthorize: boolean
    metrics: Metrics
    /** The refused requests of each app. */
    requestLog: RequestLog
    trustedProxyHops: number
    log: Log
  }

type Address = Pick<Services, 'issuer'> & Partial<Pick<Services, 'allowsPostToAuthorize'>>

/**
 * Returns the table of all paths of this server. oidc-provider gets only requests to these paths. A line states the
 * pages that may call the path, the path, its rate limit, the schema of its input, and its operation.
 */
export function signInRoutes(address: Address): readonly Route<Services>[] {
  const { issuer, allowsPostToAuthorize = false } = address
  const description = describeSignIn(() => signInRoutes(address), issuer)
  return [
    anyPage.get('/.well-known/openid-configuration', unlimited, noInput, discover),
    anyPage.get('/jwks', unlimited, noInput, readKeys),
    anyone.get('/authorize', 'signIn', AuthorizeInput, authorize),
    ...(allowsPostToAuthorize
      ? [anyone.form('/authorize', 'signIn', AuthorizeInput, authorizeByPost)]
      : []),
    anyone.get('/authorize/:uid', unlimited, noInput, resume),
    anyone.get('/login/:uid', 'withoutCookie', noInput, showSignIn),
    anyone.post('/login/:uid', 'signIn', ProofInput, submitProof),
    anyone.post('/login/:uid/cancel', unlimited, CancelInput, cancelSignIn),
    ...ASSETS.map(([name, asset]) => anyone.get(`/assets/${name}`, unlimited, noInput, asset)),
    clientPage.form('/token', 'token', TokenInput, exchangeCode),
    anyone.form('/introspect', unlimited, IntrospectInput, introspectToken(issuer)),
    anyPage.get('/userinfo', unlimited, noInput, readClaims(issuer, 'readClaims')),
    anyPage.post('/userinfo', unlimited, noInput, readClaims(issuer, 'postForClaims')),
    anyPage.get('/openapi.json', unlimited, noInput, description),
    anyPage.post('/register', 'register', RegisterInput, registerSignInClient),
    anyPage.get('/register/:client_id', 'signIn', noInput, showRegisteredClient),
    anyone.get('/healthz', unlimited, noInput, { ...healthz, operationId: 'health' }),
    anyone.get('/readyz', unlimited, noInput, readyz),
  ]
}

/** The paths that a person's browser visits. A caller there that prefers HTML gets errors as HTML pages. */
const PATHS_FOR_PEOPLE = ['/authorize', '/login']

/** Creates the Express app of the sign-in server. */
export function createSignInApp(services: Services): Express {
  const web = express()
  web.set('trust proxy', services.trustedProxyHops)
  web.set('etag', false)
  web.set('case sensitive routing', true)
  web.set('strict routing', true)
  web.use(
    HEADERS,
    beginRequest(services.log, createAnswerObserver(services)),
    setIssuerHost(services.issuer),
  )
  web.use(PATHS_FOR_PEOPLE, showErrorsOnPages)
  mountRoutes(web, signInRoutes(services), services)
  // A person with a wrong link visits a path that does not exist.
  web.use(showErrorsOnPages, refusePath, showErrors)
  return web
}

/** Creates the function that records the response of a request: in the metrics, and in the request log if it is an error. */
function createAnswerObserver({ metrics, requestLog }: Pick<Services, 'metrics' | 'requestLog'>) {
  const observe = recordAnswers(metrics)
  const recordRefusal = createRefusalRecorder(requestLog)
  return (outcome: RequestOutcome, context: RequestContext) => {
    observe(outcome)
    recordRefusal(outcome, context)
  }
}

/**
 * Sets Helmet's headers, except seven. The first three are off for these reasons. Each page sets its own content policy.
 * Pages of other origins may use some of our responses. A website that opens the sign-in in a new window must keep
 * access to that window.
 */
const HEADERS = helmet({
  contentSecurityPolicy: false,
  crossOriginResourcePolicy: false,
  crossOriginOpenerPolicy: false,
  // These four are for obsolete browsers and plug-ins.
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})
