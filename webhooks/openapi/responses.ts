import { z } from 'zod'
import { defaultsOfCode, type ErrorCode } from '../../lib/runtime/errors.ts'
import { IDEMPOTENT_REPLAYED } from '../route/idempotency-key.ts'
import type { Refusal } from '../route/operation.ts'
import type { Route } from '../route/route.ts'
import type { Examples } from './examples/examples.ts'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'

/** The part of a route that callers can see. */
export type Described = Omit<Route<never>, 'answer' | 'before' | 'takes'>

/** Every answer of the routes that share an operation, by its status, with its examples. */
export function responseObjects(routes: readonly Described[], { answers }: Examples): Json {
  const refusals = routes.flatMap(possibleRefusals)
  const succeeding = routes.flatMap(({ answers, inOtherType }) =>
    Object.keys({ ...answers, ...inOtherType?.answers }).map(Number),
  )
  const statuses = new Set([...succeeding, ...refusals.map(({ status }) => status)])
  const responses = [...statuses].map((status) => {
    const codes = refusals.filter((refusal) => refusal.status === status).map(({ code }) => code)
    const known = { routes, codes: [...new Set(codes)], examples: answers?.[status] }
    return [status, responseObject(status, known)]
  })
  return Object.fromEntries(responses)
}

type Known = {
  routes: readonly Described[]
  codes: readonly ErrorCode[]
  examples: NamedExamples
}

function responseObject(status: number, { routes, codes, examples }: Known): Json {
  const answers = routes.flatMap((route) => route.answers[status] ?? [])
  const bodies = answers.filter((answer) => answer instanceof z.ZodType)
  const isRefused = codes.length > 0
  const json = isRefused ? [...bodies, errorSchema(codes)] : bodies
  const media = answers.filter((answer) => typeof answer === 'string')
  const isPage = isRefused && routes.some(({ errorPage }) => errorPage)
  return {
    description: codes.map(codeLine).join('\n') || (status < 400 ? 'Success' : 'Failure'),
    headers: responseHeaders(status, isRefused, routes),
    content: {
      ...(json.length > 0 && {
        'application/json': {
          schema: anyOf(json.map((body) => toJsonSchema(body, 'output'))),
          ...withExamples({ ...(bodies.length > 0 && examples), ...refusalExamples(codes) }),
        },
      }),
      ...Object.fromEntries(routes.flatMap((route) => otherMedia(status, route, examples))),
      ...Object.fromEntries([...media, ...(isPage ? ['text/html'] : [])].map(textMedia)),
    },
  }
}

type NamedExamples = Readonly<Record<string, unknown>> | undefined

/** Examples as a body's description has them. */
export function withExamples(examples: NamedExamples): Json {
  if (!examples || Object.keys(examples).length === 0) return {}
  const named = Object.entries(examples).map(([name, value]) => [name, { value }])
  return { examples: Object.fromEntries(named) }
}

function refusalExamples(codes: readonly ErrorCode[]): Record<string, unknown> {
  const refusals = codes.map((code) => [
    code,
    { code, detail: defaultsOfCode(code).detail, attribute: null },
  ])
  return Object.fromEntries(refusals)
}

function otherMedia(status: number, { inOtherType }: Described, examples: NamedExamples) {
  const answer = inOtherType?.answers[status]
  if (!inOtherType || !answer) return []
  const schema = toJsonSchema(answer, 'output')
  return [[inOtherType.type, { schema, ...withExamples(examples) }] as const]
}

function codeLine(code: ErrorCode): string {
  return `- \`${code}\`: ${defaultsOfCode(code).detail}`
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

function responseHeaders(status: number, isRefused: boolean, routes: readonly Described[]): Json {
  const takesKey = routes.some(({ takesIdempotencyKey }) => takesIdempotencyKey)
  const names = [
    'x-request-id',
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(isRefused && [409, 429, 503].includes(status) ? ['retry-after'] : []),
    ...(takesKey && status === 200 ? [IDEMPOTENT_REPLAYED] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

type Refused = { code: ErrorCode; status: number }

/** Spec 2.15. */
function errorSchema(codes: readonly ErrorCode[]) {
  return z.strictObject({
    code: z.enum(codes),
    detail: z.string(),
    attribute: z.string().nullable(),
  })
}

function refusalWithStatus(refusal: Refusal): Refused {
  if (typeof refusal !== 'string') return refusal
  return { code: refusal, status: defaultsOfCode(refusal).status }
}

/** Everything that a route may refuse with: its operation's codes, and those of the steps before it. */
function possibleRefusals({
  audience,
  limit,
  source,
  path,
  errors,
  passesOn,
  takesIdempotencyKey,
}: Described): Refused[] {
  const refusals: Refusal[] = [
    ...(/:\w+$/.test(path) ? PATH_REFUSALS : []),
    ...(audience === 'hasura' ? HASURA_REFUSALS : []),
    ...(limit ? LIMIT_REFUSALS : []),
    ...(source === 'nothing' && !takesIdempotencyKey ? [] : FIELD_REFUSALS),
    ...(source === 'nothing' || source === 'query' ? [] : BODY_REFUSALS),
    ...errors,
    // A dependency may also answer with something unusable.
    ...(errors.includes('unavailable') && !passesOn ? DEPENDENCY_REFUSALS : []),
  ]
  // Hasura's routes have one answer for every failure.
  return refusals
    .map(refusalWithStatus)
    .filter(({ status }) => audience !== 'hasura' || status < 500)
}

const PATH_REFUSALS: Refusal[] = ['required', 'invalid_request']
const HASURA_REFUSALS: Refusal[] = ['permission_denied']
const LIMIT_REFUSALS: Refusal[] = ['rate_limited']
const FIELD_REFUSALS: Refusal[] = ['validation_error']
const BODY_REFUSALS: Refusal[] = ['invalid_request', 'payload_too_large', 'invalid_content_type']
const DEPENDENCY_REFUSALS: Refusal[] = ['internal_error']
