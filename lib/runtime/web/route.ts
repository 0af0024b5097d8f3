import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { ApiError } from '../errors.ts'
import { allowAnyOrigin, answerPreflight } from '../http/cors.ts'
import { type Method, methodNames } from '../http/methods.ts'
import { refuseMethod } from '../http/refuse-route.ts'
import { createRequestValue, type RequestValue } from '../http/request-value.ts'
import { requireValue } from '../require-value.ts'
import { keepAppReference } from './app-reference.ts'
import { type ErrorPage, errorPage } from './error-page.ts'
import type { Operation, Refusal, Security } from './operation.ts'
import { noInput, readInput } from './read-input.ts'
import { form, json, noFields, query, queryOrJson, type Source } from './source.ts'

/**
 * The origins of the pages that may use a route: none, any, or the calling client's origins, which the route itself
 * allows.
 */
type Sharing = 'none' | 'any' | 'clients'

/** The permitted callers of a route, and the errors that all other callers get. */
export type Audience<Services> = {
  /** The callers' name in the tables of docs/specification.md. */
  who: string
  /** The origins of pages that may use the route, without cookies (CORS). */
  pages: Sharing
  /** Rejects all other callers before the request is read. */
  admit?(services: Services): RequestHandler[]
  /** The errors of `admit`. */
  refusals?: readonly Refusal[]
  /** The credentials that `admit` requires. */
  security?: Security
  /** The body of an internal error (500), if it differs from the body of other errors. */
  failure?: z.ZodType
}

/** The handlers of a rate limit: `before` counts every request, `after` only requests with valid input. */
export type Limit = { before: readonly RequestHandler[]; after: readonly RequestHandler[] }

/** A line of the table of routes: the handlers, and their description for `/openapi.json`. */
export type Route<Services> = Omit<Operation<Services, unknown>, 'handle' | 'identify'> & {
  methods: readonly Method[]
  /** An Express path. If a last parameter in braces is missing, the caller gets the error `required`. */
  path: string
  audience: Audience<Services>
  /** The name of the rate limit. */
  limit: string | null
  source: Source
  input: z.ZodType
  /** Returns the handlers that read the input and run the operation. */
  answer(services: Services, limit: Limit | null): RequestHandler[]
}

/** The services that every route needs. */
export type RouteServices = { limits: Readonly<Record<string, Limit>> }

/** For routes without a rate limit. */
export const unlimited = null

const MAX_JSON_BYTES = 100_000

/** A form has a token and a password. URL-encoded, a character of a password takes up to twelve bytes. */
const MAX_FORM_BYTES = 4_000

const SOURCES = { query, json, queryOrJson, form }

/**
 * Creates the functions that make routes for an audience, from a path, a rate limit, a schema of the input and an
 * operation.
 *
 * @param serviceSources replace the default sources
 */
export function createRouteMakers<LimitName extends string, Admitting = unknown>(
  audience: Audience<Admitting>,
  serviceSources: Partial<typeof SOURCES> = {},
) {
  const sources = { ...SOURCES, ...serviceSources }
  const line =
    (source: Source, methods: readonly Method[], defaultMaxBytes = MAX_JSON_BYTES) =>
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
      source: Object.is(input, noInput) ? noFields : source,
      input,
      answer(services, limits) {
        const run = handle(services)
        const inputValue = createRequestValue<z.infer<Input>>('the parsed input')
        const { maxBytes = defaultMaxBytes, invalid = 'validation_error', appField } = operation
        const recognise = identify?.(services)
        return [
          ...readInput(
            { source: this.source, schema: input, maxBytes, invalid, appField },
            inputValue,
          ),
          ...(recognise ? [identifyCaller(recognise, inputValue)] : []),
          ...(limits ? limits.after : []),
          (request, response) => run(inputValue.get(response), request, response),
        ]
      },
    })
  return {
    /** Reads fields from the query string; ignores the body. */
    get: line(sources.query, ['get']),
    /** Reads fields from a JSON body. */
    post: line(sources.json, ['post']),
    /** Reads fields from the query string and from a JSON body. */
    getOrPost: line(sources.queryOrJson, ['get', 'post']),
    /** Reads fields from an HTML form. */
    form: line(sources.form, ['post'], MAX_FORM_BYTES),
  }
}

/**
 * Adds the routes to an Express app, in the order of the table. Answers 405 to a method that a path does not support.
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
    // A preflight does not name the client, so every origin passes; the actual response allows only the client's origins.
    if (audience.pages === 'clients') entry.options(allowAnyOrigin, preflight)
    for (const method of methods) entry[method](...requestHandlers(route, services))
    const isLast = routes.findLast((other) => other.path === path) === route
    if (isLast) entry.all(refuseMethod(allowedMethods(path, routes)))
    if (audience.pages === 'clients') entry.all(shareRefusal)
  }
}

/**
 * Lets pages of any origin read an error that occurs before the client is known. The error contains nothing private,
 * and the page's developers need to see it.
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

/** Returns all handlers of a route, in order. */
function requestHandlers<Services extends RouteServices>(
  route: Route<Services>,
  services: Services,
): RequestHandler[] {
  const limit =
    route.limit === null ? null : requireValue(services.limits[route.limit], route.limit)
  return [
    ...requireLastParameter(route.path),
    ...(route.takes ? [skipUnlessTaken(route.takes)] : []),
    ...(route.appField ? [readAppReference(route.appField)] : []),
    ...(route.errorPage ? [showErrorsAsPage(route.errorPage)] : []),
    ...(route.before ? [route.before(services)] : []),
    ...(route.audience.admit?.(services) ?? []),
    ...(limit ? limit.before : []),
    ...route.answer(services, limit),
  ]
}

/** Matches a last parameter in braces, like `{/:app_id}`. */
export const OPTIONAL_END = /\{\/:(\w+)\}$/

/** Rejects a path without its last parameter, before all other checks. */
function requireLastParameter(path: string): RequestHandler[] {
  const [, name] = OPTIONAL_END.exec(path) ?? []
  if (!name) return []
  const require: RequestHandler = (request, _response, next) => {
    if (!request.params[name]) throw new ApiError('required', { attribute: name })
    next()
  }
  return [require]
}

/** If this route does not take a request, the next route with the same path gets the request. */
function skipUnlessTaken(takes: NonNullable<Route<never>['takes']>): RequestHandler {
  return (request, _response, next) => (takes(request) ? next() : next('route'))
}

/** Reads the id of the app from the path, so that the request log also has requests that are refused before their body is read. */
function readAppReference(name: string): RequestHandler {
  return (request, response, next) => {
    keepAppReference(request.params, name, response)
    next()
  }
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
