import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { beginRequest } from '../lib/runtime/http/begin-request.ts'
import { allowAnyOrigin, answerPreflight } from '../lib/runtime/http/cors.ts'
import type { Probes } from '../lib/runtime/http/health.ts'
import { type Method, methodNames } from '../lib/runtime/http/methods.ts'
import { refuseMethod, refusePath } from '../lib/runtime/http/refuse-route.ts'
import type { Log } from '../lib/runtime/log/log.ts'
import type { Secrets } from '../lib/runtime/secrets/secret.ts'
import { type Metrics, recordAnswers } from '../lib/runtime/telemetry/metrics.ts'
import { checkAuthorizeQuery, readPostedRequest } from './endpoints/authorize.ts'
import { type CancelServices, cancelSignIn } from './endpoints/cancel-sign-in.ts'
import { answerHealthz, answerReadyz } from './endpoints/health.ts'
import { type IntrospectServices, introspectToken } from './endpoints/introspect.ts'
import type { Limits } from './endpoints/rate-limits.ts'
import { registerSignInClient } from './endpoints/registration/register.ts'
import { showRegisteredClient } from './endpoints/registration/registered-client.ts'
import { type ShowSignInServices, showSignIn } from './endpoints/show-sign-in.ts'
import { type SubmitProofServices, submitProof } from './endpoints/submit-proof.ts'
import { exchangeCode } from './endpoints/token.ts'
import { readBearerToken } from './endpoints/userinfo.ts'
import type { Sdk } from './generated/sdk.ts'
import { describeSignIn } from './openapi/document.ts'
import { serveAsset } from './page/assets.ts'
import { asIssuer } from './provider/as-issuer.ts'
import { showErrors } from './provider/show-errors.ts'

export type Services = SignInServices &
  IntrospectServices & {
    graphql: Sdk
    clientSecretPeppers: Secrets
    limits: Limits
    /** Whether a website may begin a sign-in with a form. */
    allowsPostToAuthorize: boolean
    probes: Probes
    metrics: Metrics
    trustedProxyHops: number
    log: Log
  }

type SignInServices = ShowSignInServices & SubmitProofServices & CancelServices

/** The table of contents: every path that we answer. The library gets no request that is not listed here. */
export function signInApp(services: Services): Express {
  const { limits, probes, provider } = services
  const library: RequestHandler = (request, response) => provider().handle(request, response)
  return serveRoutes(services, [
    onGet('/healthz', answerHealthz),
    onGet('/readyz', answerReadyz(probes)),
    anyOrigin(onGet('/.well-known/openid-configuration', library)),
    anyOrigin(onGet('/jwks', library)),
    anyOrigin(onGet('/openapi.json', describeSignIn(services.issuer))),
    anyOrigin(onPost('/register', limits.register, registerSignInClient(services))),
    anyOrigin(onGet('/register/:client_id', limits.signIn, showRegisteredClient(services))),
    onGet('/authorize', limits.signIn, checkAuthorizeQuery, library),
    ...(services.allowsPostToAuthorize
      ? [onPost('/authorize', limits.signIn, readPostedRequest, checkAuthorizeQuery, library)]
      : []),
    onGet('/authorize/:uid', library),
    onGet('/login/:uid', limits.withoutCookie, showSignIn(services)),
    onPost('/login/:uid', limits.signIn, submitProof(services)),
    onPost('/login/:uid/cancel', cancelSignIn(services)),
    onGet('/assets/:name', serveAsset),
    clientOrigins(onPost('/token', exchangeCode(services, limits.token), library)),
    onPost('/introspect', introspectToken(services), library),
    anyOrigin(onGetOrPost('/userinfo', readBearerToken(services), library)),
  ])
}

type Handlers = (RequestHandler | RequestHandler[])[]

/** Pages of which origins may use a route (CORS): only ours, any, or those of the client that asks. */
type Sharing = 'none' | 'any' | 'clients'
type Route = { methods: Method[]; path: string; handlers: Handlers; sharing: Sharing }

function onGet(path: string, ...handlers: Handlers): Route {
  return { methods: ['get'], path, handlers, sharing: 'none' }
}

function onPost(path: string, ...handlers: Handlers): Route {
  return { methods: ['post'], path, handlers, sharing: 'none' }
}

function onGetOrPost(path: string, ...handlers: Handlers): Route {
  return { methods: ['get', 'post'], path, handlers, sharing: 'none' }
}

/** Pages of any origin may use this route, without credentials (CORS). */
function anyOrigin(route: Route): Route {
  return { ...route, sharing: 'any' }
}

/** Pages of the client's own origins may use this route: the library says which they are. */
function clientOrigins(route: Route): Route {
  return { ...route, sharing: 'clients' }
}

function serveRoutes(services: Services, routes: readonly Route[]): Express {
  const web = express()
  web.set('trust proxy', services.trustedProxyHops)
  web.set('etag', false)
  web.set('case sensitive routing', true)
  web.set('strict routing', true)
  web.use(
    HEADERS,
    beginRequest(services.log, recordAnswers(services.metrics)),
    asIssuer(services.issuer),
  )
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path))
    addPath(web, path, ofPath)
  web.use(refusePath, showErrors)
  return web
}

/**
 * Three of Helmet's headers are off: each page states its own content policy; other origins may use
 * some of our answers; and a website that opens the sign-in in a new window must keep access to it.
 */
const HEADERS = helmet({
  contentSecurityPolicy: false,
  crossOriginResourcePolicy: false,
  crossOriginOpenerPolicy: false,
  // These are for obsolete browsers and plug-ins.
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})

function addPath(web: Express, path: string, routes: readonly Route[]) {
  const route = web.route(path)
  const names = methodNames(routes.flatMap(({ methods }) => methods))
  const isFor = (sharing: Sharing) => routes.some((route) => route.sharing === sharing)
  if (isFor('any')) route.all(allowAnyOrigin, ignoreOrigin)
  // A preflight does not say which client asks, so it allows all; the answer says which may read it.
  const isShared = isFor('any') || isFor('clients')
  if (isShared) route.options(allowAnyOrigin, answerPreflight(names))
  for (const { methods, handlers } of routes)
    for (const method of methods) route[method](...handlers)
  route.all(refuseMethod(isShared ? [...names, 'OPTIONS'] : names))
  if (isFor('clients')) route.all(shareRefusal)
}

/**
 * Lets pages of any origin read an error that occurs before the client is known: it contains nothing
 * private, and developers of a page need to see what went wrong.
 */
const shareRefusal: ErrorRequestHandler = (error: unknown, request, response, next) => {
  allowAnyOrigin(request, response, () => next(error))
}

/** Hides the origin from the library, which would otherwise set CORS headers of its own. */
const ignoreOrigin: RequestHandler = (request, _response, next) => {
  delete request.headers.origin
  next()
}
