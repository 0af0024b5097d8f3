import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Log } from '../lib/log.ts'
import { LoginInput, type LoginServices, login } from './accounts/login.ts'
import { ResendVerificationInput, resendVerification } from './accounts/resend-verification.ts'
import { SignupInput, type SignupServices, signup } from './accounts/signup.ts'
import { askToVerifyEmail, verifyEmail } from './accounts/verify-email.ts'
import { AuthHookInput, type AuthHookServices, authHook } from './auth/auth-hook.ts'
import { preflight, shareWithAll } from './cors.ts'
import { begin, refuseMethod, refusePath, renderError } from './edge.ts'
import { forward } from './forward.ts'
import { internal } from './guards.ts'
import { healthz, type Probes, readyz } from './health.ts'
import { type ExpireServices, expire } from './internal/expire.ts'
import { fillExternalNullifier, NewActionInput } from './internal/fill-external-nullifier.ts'
import { type RefreshAddressesServices, refreshAddresses } from './internal/refresh-addresses.ts'
import { type JwksServices, jwks } from './keys/jwks.ts'
import { type MakeKeyServices, makeKey } from './keys/make-key.ts'
import { DeliverMailInput, type DeliverMailServices, deliverMail } from './mail/deliver-mail.ts'
import { PrecheckInput, type PrecheckServices, precheck } from './precheck/precheck.ts'
import { PrecheckActionInput, precheckAction } from './precheck/precheck-action.ts'
import type { Limits } from './rate-limits.ts'
import { fields, json, onlyWhen, requirePath } from './route.ts'
import { type Deprecation, deprecated } from './verify/deprecation.ts'
import { VerifyInput, type VerifyServices, verify } from './verify/verify.ts'
import { VerifyV1Input, type VerifyV1Services, verifyV1 } from './verify/verify-v1.ts'

export type Services = AuthHookServices &
  DeliverMailServices &
  ExpireServices &
  JwksServices &
  LoginServices &
  MakeKeyServices &
  PrecheckServices &
  RefreshAddressesServices &
  SignupServices &
  VerifyServices &
  VerifyV1Services & {
    verifyV1: Deprecation
    hasura: { endpoint: string; timeoutMs: number }
    internalSecret: string | undefined
    limits: Limits
    probes: Probes
    trustedProxyHops: number
    log: Log
  }

/** The table of contents: every path we answer, top to bottom. */
export function app(services: Services): Express {
  const { hasura, limits, probes } = services
  const hasuraOnly = internal(services.internalSecret)
  return serve(services, [
    get('/healthz', healthz),
    get('/readyz', readyz(probes)),
    post(
      '/api/v2/verify{/:app_id}',
      requirePath('app_id'),
      limits.verify,
      json(VerifyInput, verify(services)),
    ),
    anyOrigin(
      post(
        '/api/v1/verify',
        deprecated(services.verifyV1),
        limits.verify,
        json(VerifyV1Input, verifyV1(services)),
      ),
    ),
    anyOrigin(
      getOrPost(
        '/api/v1/precheck{/:app_id}',
        requirePath('app_id'),
        onlyWhen('app_id', /^app_/),
        limits.precheck,
        fields(PrecheckInput, precheck(services)),
      ),
    ),
    anyOrigin(
      getOrPost(
        '/api/v1/precheck/:id',
        limits.precheckAction,
        fields(PrecheckActionInput, precheckAction(services)),
      ),
    ),
    anyOrigin(getOrPost('/api/v1/jwks', jwks(services))),
    anyOrigin(
      post('/api/v1/signup', limits.signup, json(SignupInput, signup(services), { status: 201 })),
    ),
    anyOrigin(
      post(
        '/api/v1/login',
        limits.login,
        json(LoginInput, login(services), { limit: [limits.loginEmail] }),
      ),
    ),
    get('/api/v1/verify-email', limits.verifyEmail, askToVerifyEmail),
    post('/api/v1/verify-email', limits.verifyEmail, verifyEmail(services)),
    post(
      '/api/v1/resend-verification',
      limits.resend,
      json(ResendVerificationInput, resendVerification(services), { limit: [limits.resendEmail] }),
    ),
    post('/v1/graphql', forward(hasura)),
    post('/api/_jwk-gen', hasuraOnly, makeKey(services)),
    post('/api/_ens', hasuraOnly, refreshAddresses(services)),
    post('/api/_expire', hasuraOnly, expire(services)),
    post(
      '/api/_gen-external-nullifier',
      hasuraOnly,
      json(NewActionInput, fillExternalNullifier(services)),
    ),
    post('/api/_mail', hasuraOnly, json(DeliverMailInput, deliverMail(services))),
    post('/hasura/auth', json(AuthHookInput, authHook(services))),
  ])
}

type Handlers = (RequestHandler | RequestHandler[])[]
type Method = 'get' | 'post'
type Route = { methods: Method[]; path: string; handlers: Handlers; isShared: boolean }

function get(path: string, ...handlers: Handlers): Route {
  return { methods: ['get'], path, handlers, isShared: false }
}

function post(path: string, ...handlers: Handlers): Route {
  return { methods: ['post'], path, handlers, isShared: false }
}

function getOrPost(path: string, ...handlers: Handlers): Route {
  return { methods: ['get', 'post'], path, handlers, isShared: false }
}

/** Pages of any origin may use this route, without credentials (CORS). */
function anyOrigin(route: Route): Route {
  return { ...route, isShared: true }
}

function serve({ log, trustedProxyHops }: Services, routes: readonly Route[]): Express {
  const web = express()
  web.set('trust proxy', trustedProxyHops)
  web.set('etag', false)
  web.use(begin(log), helmet())
  for (const route of routes) add(web, route)
  for (const path of new Set(routes.map((route) => route.path)))
    web.all(path, refuseMethod(methodsOf(path, routes)))
  web.use(refusePath, renderError)
  return web
}

function add(web: Express, { methods, path, handlers, isShared }: Route) {
  if (isShared) web.all(path, shareWithAll).options(path, preflight(namesOf(methods)))
  for (const method of methods) web[method](path, ...handlers)
}

function methodsOf(path: string, routes: readonly Route[]): string[] {
  const found = routes.filter((route) => route.path === path)
  const names = namesOf(found.flatMap(({ methods }) => methods))
  return found.some(({ isShared }) => isShared) ? [...names, 'OPTIONS'] : names
}

function namesOf(methods: readonly Method[]): string[] {
  return methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : ['POST']))
}
