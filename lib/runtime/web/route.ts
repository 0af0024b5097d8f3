import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { ApiError } from '../errors.ts'
import { allowAnyOrigin, answerPreflight } from '../http/cors.ts'
import { type Method, methodNames } from '../http/methods.ts'
import { refuseMethod } from '../http/refuse-route.ts'
import { type RequestValue, requestValue } from '../http/request-value.ts'
import { present } from '../present.ts'
import { type ErrorPage, errorPage } from './error-page.ts'
import type { Operation, Refusal, Security } from './operation.ts'
import { noInput, readInput } from './read-input.ts'
import { form, json, nothing, query, queryOrJson, type Source } from './source.ts'

/**
 * Pages of which origins may use a route: none, any, or those of the client that asks. The route itself allows the
 * origins of a client.
 */
type Sharing = 'none' | 'any' | 'clients'

/** Who may call a route, and how it answers those who may not. */
export type Audience<Services> = {
  /** As the specification names them. */
  who: string
  /** Pages of which origins may use the route, without credentials (CORS). */
  pages: Sharing
  /** Refuses every other caller, before the request is read. */
  admit?(services: Services): RequestHandler[]
  /** What `admit` may refuse with. */
  refusals?: readonly Refusal[]
  /** The credentials that `admit` requires. */
  security?: Security
  /** The body of every failure of ours (500), where it is not that of other errors. */
  failure?: z.ZodType
}

/** Limits that count a request before it is read, and those that count it only if its input could be parsed. */
export type Limit = { before: readonly RequestHandler[]; after: readonly RequestHandler[] }

/** One line of the table: what the server does, and what `/openapi.json` says about it. */
export type Route<Services> = Omit<Operation<Services, unknown>, 'handle' | 'identify'> & {
  methods: readonly Method[]
  /** As Express has it; braces enclose a last parameter that a caller is told of when it is missing. */
  path: string
  audience: Audience<Services>
  /** The name of the rate limit. */
  limit: string | null
  source: Source
  input: z.ZodType
  /** What the route does once a request is admitted; `limit` counts requests whose input is parsed. */
  answer(services: Services, limit: Limit | null): RequestHandler[]
}

/** What every route needs, whatever it does. */
export type RouteServices = { limits: Readonly<Record<string, Limit>> }

/** For routes without a rate limit. */
export const unlimited = null

const MAX_JSON_BYTES = 100_000

/** Forms have a token and a password, of which a character may take twelve bytes. */
const MAX_FORM_BYTES = 4_000

/** The sources of fields, by the kinds of lines that have them. */
const SOURCES = { query, json, queryOrJson, form }

/**
 * The ways to write a line for an audience: path, rate limit, schema of the input, operation.
 *
 * @param own sources of the service, in place of those that all services have
 */
export function createRouteMakers<LimitName extends string, Admitting = unknown>(
  audience: Audience<Admitting>,
  own: Partial<typeof SOURCES> = {},
) {
  const sources = { ...SOURCES, ...own }
  const line =
    (source: Source, methods: readonly Method[], longest = MAX_JSON_BYTES) =>
    <Services, Input extends z.ZodType>(
      path: string,
      limit: LimitName | null,
      input: Input,
      { handle, identify, ...operation }: Operation<Services, z.infer<Input>>,
    ): Route<Services & Admitting> => ({
      ...operation,
      ...(audience.failure && { answers: { ...operation.answers, 500: audience.failure } }),
      methods,
      path,
      audience,
      limit,
      source: Object.is(input, noInput) ? nothing : source,
      input,
      answer(services, limits) {
        const run = handle(services)
        const parsed = requestValue<z.infer<Input>>('the parsed input')
        const { maxBytes = longest, invalid = 'validation_error' } = operation
        const recognise = identify?.(services)
        return [
          ...readInput({ source: this.source, schema: input, maxBytes, invalid }, parsed),
          ...(recognise ? [identifyCaller(recognise, parsed)] : []),
          ...(limits ? limits.after : []),
          (request, response) => run(parsed.get(response), request, response),
        ]
      },
    })
  return {
    /** With fields in the query string; a body is not even read. */
    get: line(sources.query, ['get']),
    /** With a JSON body. */
    post: line(sources.json, ['post']),
    /** With fields in the query string or in a JSON body. */
    getOrPost: line(sources.queryOrJson, ['get', 'post']),
    /** With the fields of an HTML form. */
    form: line(sources.form, ['post'], MAX_FORM_BYTES),
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
    const entry = web.route(path)
    const preflight = answerPreflight(methodNames(methodsOf(path, routes)))
    if (audience.pages === 'any') entry.all(allowAnyOrigin).options(preflight)
    // A preflight does not say which client asks, so it allows all; the answer says which may read it.
    if (audience.pages === 'clients') entry.options(allowAnyOrigin, preflight)
    for (const method of methods) entry[method](...requestHandlers(route, services))
    const isLast = routes.findLast((other) => other.path === path) === route
    if (isLast) entry.all(refuseMethod(allowedMethods(path, routes)))
    if (audience.pages === 'clients') entry.all(shareRefusal)
  }
}

/**
 * Lets pages of any origin read an error that occurs before the client is known: it contains nothing
 * private, and developers of a page need to see what went wrong.
 */
const shareRefusal: ErrorRequestHandler = (error: unknown, request, response, next) => {
  allowAnyOrigin(request, response, () => next(error))
}

function identifyCaller<Input>(
  identify: (input: Input, request: Request, response: Response) => Promise<void>,
  input: RequestValue<Input>,
): RequestHandler {
  return async (request, response, next) => {
    await identify(input.get(response), request, response)
    next()
  }
}

/** Everything that happens to a request for a route, in this order. */
function requestHandlers<Services extends RouteServices>(
  route: Route<Services>,
  services: Services,
): RequestHandler[] {
  const limit = route.limit === null ? null : present(services.limits[route.limit], route.limit)
  return [
    ...requireLastParameter(route.path),
    ...(route.takes ? [skipUnlessTaken(route.takes)] : []),
    ...(route.errorPage ? [showErrorsAsPage(route.errorPage)] : []),
    ...(route.before ? [route.before(services)] : []),
    ...(route.audience.admit?.(services) ?? []),
    ...(limit ? limit.before : []),
    ...route.answer(services, limit),
  ]
}

/** A last parameter in braces, such as `{/:app_id}`. */
export const OPTIONAL_END = /\{\/:(\w+)\}$/

/** Refuses a path whose last parameter is missing, before anything else is looked at. */
function requireLastParameter(path: string): RequestHandler[] {
  const [, name] = OPTIONAL_END.exec(path) ?? []
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

function showErrorsAsPage(makePage: ErrorPage): RequestHandler {
  return (_request, response, next) => {
    errorPage.set(response, makePage)
    next()
  }
}

function allowedMethods(
  path: string,
  routes: readonly Pick<Route<never>, 'methods' | 'path' | 'audience'>[],
): string[] {
  const names = methodNames(methodsOf(path, routes))
  const isForPages = routes.some((route) => route.path === path && route.audience.pages !== 'none')
  return isForPages ? [...names, 'OPTIONS'] : names
}

function methodsOf(path: string, routes: readonly Pick<Route<never>, 'methods' | 'path'>[]) {
  return routes.filter((route) => route.path === path).flatMap(({ methods }) => methods)
}
