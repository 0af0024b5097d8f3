import type { Express, RequestHandler } from 'express'
import type { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { allowAnyOrigin, answerPreflight } from '../../lib/runtime/http/cors.ts'
import { type Method, methodNames } from '../../lib/runtime/http/methods.ts'
import { refuseMethod } from '../../lib/runtime/http/refuse-route.ts'
import { requestValue } from '../../lib/runtime/http/request-value.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import { Failure } from './answer-schemas.ts'
import type { Operation } from './operation.ts'
import type { Limits } from './rate-limits.ts'
import { noInput, readInput, type Source } from './read-input.ts'
import { requireHasura } from './require-hasura.ts'
import { errorPage, isForHasura } from './show-errors.ts'

/** Who may call a route: any client; pages of any origin too, without credentials (CORS); Hasura only. */
type Audience = 'anyone' | 'any page' | 'hasura'

/** One line of the table: what the server does, and what `/openapi.json` says about it. */
export type Route<Services> = Omit<Operation<Services, unknown>, 'handle'> & {
  methods: readonly Method[]
  path: string
  audience: Audience
  limit: keyof Limits | null
  source: Source
  input: z.ZodType
  /** What the route does once a request is admitted; `limit` counts requests whose input is parsed. */
  answer(services: Services, limit: Limits[keyof Limits] | null): RequestHandler[]
}

/** What every route needs, whatever it does. */
export type RouteServices = { internalSecrets: Secrets | undefined; limits: Limits }

/** For routes without a rate limit. */
export const unlimited = null

export const anyone = routeMakers('anyone')
export const anyPage = routeMakers('any page')
export const onlyHasura = routeMakers('hasura')

/** The ways to write a line: path, rate limit, schema of the input, operation. */
function routeMakers(audience: Audience) {
  const line =
    (source: Source, methods: readonly Method[]) =>
    <Services, Input extends z.ZodType>(
      path: string,
      limit: keyof Limits | null,
      input: Input,
      { handle, ...operation }: Operation<Services, z.infer<Input>>,
    ): Route<Services> => ({
      ...operation,
      ...(audience === 'hasura' && { answers: { ...operation.answers, 500: Failure } }),
      methods,
      path,
      audience,
      limit,
      source: Object.is(input, noInput) ? 'nothing' : source,
      input,
      answer(services, limits) {
        const run = handle(services)
        const parsed = requestValue<z.infer<Input>>('the parsed input')
        return [
          ...readInput(this.source, input, parsed),
          ...(limits ? limits.after : []),
          (request, response) => run(parsed.get(response), request, response),
        ]
      },
    })
  return {
    /** With fields in the query string; a body is not even read. */
    get: line('query', ['get']),
    /** With a JSON body. */
    post: line('json', ['post']),
    /** With a JSON body in which Hasura relays its client's request. */
    relayed: line('relayed', ['post']),
    /** With fields in the query string or in a JSON body. */
    getOrPost: line('fields', ['get', 'post']),
    /** With the fields of an HTML form. */
    form: line('form', ['post']),
  }
}

/**
 * Serves a table of routes, and refuses methods that a path does not have.
 *
 * Each line becomes one entry of the router, in the order of the table.
 */
export function mountRoutes<Services extends RouteServices>(
  web: Express,
  routes: readonly Route<Services>[],
  services: Services,
): void {
  for (const route of routes) {
    const { path, methods, audience } = route
    const entry = web.route(withOptionalEnd(path))
    if (audience === 'any page')
      entry.all(allowAnyOrigin).options(answerPreflight(methodNames(methodsOf(path, routes))))
    for (const method of methods) entry[method](...requestHandlers(route, services))
    const isLast = routes.findLast((other) => other.path === path) === route
    if (isLast) entry.all(refuseMethod(allowedMethods(path, routes)))
  }
}

/** Everything that happens to a request for a route, in this order. */
function requestHandlers<Services extends RouteServices>(
  route: Route<Services>,
  services: Services,
): RequestHandler[] {
  const { internalSecrets, limits } = services
  const limit = route.limit && limits[route.limit]
  return [
    ...requireLastParameter(route.path),
    ...(route.takes ? [skipUnlessTaken(route.takes)] : []),
    ...(route.errorPage ? [showErrorsAsPage(route.errorPage)] : []),
    ...(route.before ? [route.before(services)] : []),
    ...(route.audience === 'hasura' ? [failAsInternal, requireHasura(internalSecrets)] : []),
    ...(limit ? limit.before : []),
    ...route.answer(services, limit),
  ]
}

/** Makes the last parameter optional, so that a caller who omits it is told which one is missing. */
function withOptionalEnd(path: string): string {
  return path.replace(/\/:(\w+)$/, '{/:$1}')
}

/** Refuses a path whose last parameter is missing, before anything else is looked at. */
function requireLastParameter(path: string): RequestHandler[] {
  const [, name] = /\/:(\w+)$/.exec(path) ?? []
  if (!name) return []
  const require: RequestHandler = (request, _response, next) => {
    if (!request.params[name]) throw new ApiError('required', { attribute: name })
    next()
  }
  return [require]
}

/** Passes a request that is not meant for this route on to the next one with the same path. */
function skipUnlessTaken(takes: NonNullable<Route<never>['takes']>): RequestHandler {
  return (request, _response, next) => (takes(request) ? next() : next('route'))
}

function showErrorsAsPage(makePage: NonNullable<Route<never>['errorPage']>): RequestHandler {
  return (_request, response, next) => {
    errorPage.set(response, makePage)
    next()
  }
}

/** Hasura gets failures in a form of its own (spec 7). */
const failAsInternal: RequestHandler = (_request, response, next) => {
  isForHasura.set(response, true)
  next()
}

function allowedMethods(
  path: string,
  routes: readonly Pick<Route<never>, 'methods' | 'path' | 'audience'>[],
): string[] {
  const names = methodNames(methodsOf(path, routes))
  const isForPages = routes.some((route) => route.path === path && route.audience === 'any page')
  return isForPages ? [...names, 'OPTIONS'] : names
}

function methodsOf(path: string, routes: readonly Pick<Route<never>, 'methods' | 'path'>[]) {
  return routes.filter((route) => route.path === path).flatMap(({ methods }) => methods)
}
