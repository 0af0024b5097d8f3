import { z } from 'zod'
import { defaultsOfCode } from '../../errors.ts'
import { IDEMPOTENT_REPLAYED } from '../idempotency-key.ts'
import type { Refusal } from '../operation.ts'
import { OPTIONAL_END, type Route } from '../route.ts'
import { noFields } from '../source.ts'
import type { ErrorDescription, ErrorForm } from './error-form.ts'
import type { Examples } from './examples-form.ts'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'

/** The public part of a route. */
export type RouteDescription = Omit<Route<never>, 'answer' | 'before' | 'takes'>

/** Describes every response of an operation, by status, with its examples. */
export function responseObjects(
  routes: readonly RouteDescription[],
  { answers }: Examples,
  errorForm: ErrorForm,
): Json {
  const refusals = routes.flatMap(possibleRefusals)
  const succeeding = routes.flatMap(({ answers, inOtherType }) =>
    Object.keys({ ...answers, ...inOtherType?.answers }).map(Number),
  )
  const statuses = new Set([...succeeding, ...refusals.map(({ status }) => status)])
  const responses = [...statuses].map((status) => {
    const parts = {
      routes,
      refusals: withStatus(refusals, status),
      examples: answers?.[status],
      errorForm,
    }
    return [status, responseObject(status, parts)]
  })
  return Object.fromEntries(responses)
}

/** Returns the refusals with a status, each code once. */
function withStatus(refusals: readonly ErrorDescription[], status: number): ErrorDescription[] {
  const same = refusals.filter((refusal) => refusal.status === status)
  return [...new Map(same.map((refusal) => [refusal.code, refusal])).values()]
}

type ResponseParts = {
  routes: readonly RouteDescription[]
  refusals: readonly ErrorDescription[]
  examples: NamedExamples
  errorForm: ErrorForm
}

function responseObject(
  status: number,
  { routes, refusals, examples, errorForm }: ResponseParts,
): Json {
  const answers = routes.flatMap((route) => route.answers[status] ?? [])
  const bodies = answers.filter((answer) => answer instanceof z.ZodType)
  const isRefused = refusals.length > 0
  const codes = refusals.map(({ code }) => code)
  const json = isRefused ? [...bodies, errorForm.schema(codes)] : bodies
  const errors = refusals.map((refusal) => [refusal.code, errorForm.example(refusal)] as const)
  const media = answers.filter((answer) => typeof answer === 'string' && answer !== 'redirect')
  const isRedirect = answers.includes('redirect')
  const isPage = isRefused && routes.some(({ errorPage }) => errorPage)
  return {
    description: refusals.map(refusalLine).join('\n') || (status < 400 ? 'Success' : 'Failure'),
    headers: {
      ...responseHeaders(status, isRefused, routes),
      ...(isRedirect && { location: { schema: { type: 'string' } } }),
    },
    content: {
      ...(json.length > 0 && {
        'application/json': {
          schema: anyOf(json.map((body) => toJsonSchema(body, 'output'))),
          ...withExamples({
            ...(bodies.length > 0 && examples),
            ...Object.fromEntries(errors),
          }),
        },
      }),
      ...Object.fromEntries(routes.flatMap((route) => otherMedia(status, route, examples))),
      ...Object.fromEntries([...media, ...(isPage ? ['text/html'] : [])].map(textMedia)),
    },
  }
}

type NamedExamples = Readonly<Record<string, unknown>> | undefined

/** Returns the `examples` member of a media type object. */
export function withExamples(examples: NamedExamples): Json {
  if (!examples || Object.keys(examples).length === 0) return {}
  const entries = Object.entries(examples).map(([name, value]) => [name, { value }])
  return { examples: Object.fromEntries(entries) }
}

function otherMedia(status: number, { inOtherType }: RouteDescription, examples: NamedExamples) {
  const answer = inOtherType?.answers[status]
  if (!inOtherType || !answer) return []
  const schema = toJsonSchema(answer, 'output')
  return [[inOtherType.type, { schema, ...withExamples(examples) }] as const]
}

function refusalLine({ code, message }: ErrorDescription): string {
  return `- \`${code}\`: ${message}`
}

function textMedia(type: string) {
  return [type, { schema: { type: 'string' }, example: TEXT_EXAMPLES.get(type) }]
}

const TEXT_EXAMPLES = new Map([
  ['text/plain', 'OK'],
  ['text/html', '<!doctype html>\n<html lang="en">…</html>'],
  ['text/javascript', "document.getElementById('docs')"],
  ['text/css', 'main { margin: 1rem }'],
])

function responseHeaders(
  status: number,
  isRefused: boolean,
  routes: readonly RouteDescription[],
): Json {
  const takesKey = routes.some(({ takesIdempotencyKey }) => takesIdempotencyKey)
  const names = [
    'x-request-id',
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(isRefused && [409, 429, 503].includes(status) ? ['retry-after'] : []),
    ...(takesKey && status === 200 ? [IDEMPOTENT_REPLAYED] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function withMessage(refusal: Refusal): ErrorDescription {
  const overrides = typeof refusal === 'string' ? { code: refusal } : refusal
  const { status, detail } = defaultsOfCode(overrides.code)
  return { status, message: detail, attribute: null, ...overrides }
}

/** Returns every error of a route: the codes of its operation and of the handlers before it. */
function possibleRefusals({
  audience,
  limit,
  source,
  path,
  errors,
  passesOn,
  takesIdempotencyKey,
  invalid = 'validation_error',
}: RouteDescription): ErrorDescription[] {
  const refusals: Refusal[] = [
    ...(OPTIONAL_END.test(path) ? PATH_REFUSALS : []),
    ...(audience.refusals ?? []),
    ...(limit ? LIMIT_REFUSALS : []),
    ...(source === noFields && !takesIdempotencyKey ? [] : [invalid]),
    ...source.refusals,
    ...errors,
    // A dependency may also send an unusable response, which is an internal error.
    ...(errors.includes('unavailable') && !passesOn ? DEPENDENCY_REFUSALS : []),
  ]
  return refusals.map(withMessage).filter(({ status }) => !audience.failure || status < 500)
}

const PATH_REFUSALS: Refusal[] = ['required', 'invalid_request']
const LIMIT_REFUSALS: Refusal[] = ['rate_limited']
const DEPENDENCY_REFUSALS: Refusal[] = ['internal_error']
