import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Log } from '../lib/log.ts'
import { AuthHookInput, type AuthHookServices, authHook } from './auth-hook.ts'
import { begin, refuseMethod, refusePath, renderError } from './edge.ts'
import { forward } from './forward.ts'
import { healthz, type Probes, readyz } from './health.ts'
import { LoginInput, type LoginServices, login } from './login.ts'
import { json, requirePath } from './route.ts'
import { SignupInput, type SignupServices, signup } from './signup.ts'
import { VerifyInput, type VerifyServices, verify } from './verify.ts'

export type Services = AuthHookServices &
  LoginServices &
  SignupServices &
  VerifyServices & {
    hasura: { endpoint: string; timeoutMs: number }
    probes: Probes
    trustedProxyHops: number
    log: Log
  }

/** The table of contents: every path we answer, top to bottom. */
export function app(services: Services): Express {
  return serve(services, [
    get('/healthz', healthz),
    get('/readyz', readyz(services.probes)),
    post('/api/v2/verify{/:app_id}', requirePath('app_id'), json(VerifyInput, verify(services))),
    post('/api/v1/signup', json(SignupInput, signup(services), { status: 201 })),
    post('/api/v1/login', json(LoginInput, login(services))),
    post('/v1/graphql', forward(services.hasura)),
    post('/hasura/auth', json(AuthHookInput, authHook(services))),
  ])
}

type Handlers = (RequestHandler | RequestHandler[])[]
type Route = { method: 'get' | 'post'; path: string; handlers: Handlers }

function get(path: string, ...handlers: Handlers): Route {
  return { method: 'get', path, handlers }
}

function post(path: string, ...handlers: Handlers): Route {
  return { method: 'post', path, handlers }
}

function serve({ log, trustedProxyHops }: Services, routes: readonly Route[]): Express {
  const web = express()
  web.set('trust proxy', trustedProxyHops)
  web.set('etag', false)
  web.use(begin(log), helmet())
  for (const { method, path, handlers } of routes) web[method](path, ...handlers)
  for (const path of new Set(routes.map((route) => route.path)))
    web.all(path, refuseMethod(methodsOf(path, routes)))
  web.use(refusePath, renderError)
  return web
}

function methodsOf(path: string, routes: readonly Route[]): string[] {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method)
  return methods.map((method) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()))
}
