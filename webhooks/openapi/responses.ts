import { z } from 'zod'
import { type ErrorCode, meaningOf } from '../../lib/errors.ts'
import type { Refusal } from '../route/operation.ts'
import type { Route } from '../route/route.ts'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'

/** The part of a route that callers can see. */
export type Described = Omit<Route<never>, 'answer' | 'before' | 'takes'>

/** Every answer of the routes that share an operation, by its status. */
export function responsesOf(routes: readonly Described[]): Json {
  const refusals = routes.flatMap(refusalsOf)
  const succeeding = routes.flatMap(({ answers }) => Object.keys(answers).map(Number))
  const statuses = new Set([...succeeding, ...refusals.map(({ status }) => status)])
  const responses = [...statuses].map((status) => {
    const codes = refusals.filter((refusal) => refusal.status === status).map(({ code }) => code)
    return [status, responseOf(status, [...new Set(codes)], routes)]
  })
  return Object.fromEntries(responses)
}

function responseOf(
  status: number,
  codes: readonly ErrorCode[],
  routes: readonly Described[],
): Json {
  const answers = routes.flatMap((route) => route.answers[status] ?? [])
  const bodies = answers.filter((answer) => answer instanceof z.ZodType)
  const isRefused = codes.length > 0
  const json = isRefused ? [...bodies, errorBody(codes)] : bodies
  const media = answers.filter((answer) => typeof answer === 'string')
  const isPage = isRefused && routes.some(({ errorPage }) => errorPage)
  return {
    description: codes.map(toLine).join('\n') || (status < 400 ? 'Success' : 'Failure'),
    headers: headersOf(status, isRefused),
    content: {
      ...(json.length > 0 && {
        'application/json': { schema: anyOf(json.map((body) => toJsonSchema(body, 'output'))) },
      }),
      ...Object.fromEntries([...media, ...(isPage ? ['text/html'] : [])].map(toText)),
    },
  }
}

function toLine(code: ErrorCode): string {
  return `- \`${code}\`: ${meaningOf(code).detail}`
}

function toText(type: string) {
  return [type, { schema: { type: 'string' } }]
}

function headersOf(status: number, isRefused: boolean): Json {
  const names = [
    'x-request-id',
    ...(status === 401 ? ['www-authenticate'] : []),
    ...(isRefused && [429, 503].includes(status) ? ['retry-after'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

type Refused = { code: ErrorCode; status: number }

/** Spec 2.15. */
function errorBody(codes: readonly ErrorCode[]) {
  return z.strictObject({
    code: z.enum(codes),
    detail: z.string(),
    attribute: z.string().nullable(),
  })
}

function withStatus(refusal: Refusal): Refused {
  if (typeof refusal !== 'string') return refusal
  return { code: refusal, status: meaningOf(refusal).status }
}

/** Everything that a route may refuse with: its operation's codes, and those of the steps before it. */
function refusalsOf({ audience, limit, source, path, errors, passesOn }: Described): Refused[] {
  const refusals: Refusal[] = [
    ...(/:\w+$/.test(path) ? OF_PATHS : []),
    ...(audience === 'hasura' ? OF_GUARDS : []),
    ...(limit ? OF_LIMITS : []),
    ...(source === 'nothing' ? [] : OF_FIELDS),
    ...(source === 'nothing' || source === 'query' ? [] : OF_BODIES),
    ...errors,
    // A dependency may also answer with something unusable.
    ...(errors.includes('unavailable') && !passesOn ? OF_ASKING : []),
  ]
  // Hasura's routes have one answer for every failure.
  return refusals.map(withStatus).filter(({ status }) => audience !== 'hasura' || status < 500)
}

const OF_PATHS: Refusal[] = ['required', 'invalid_request']
const OF_GUARDS: Refusal[] = ['permission_denied']
const OF_LIMITS: Refusal[] = ['rate_limited']
const OF_FIELDS: Refusal[] = ['validation_error']
const OF_BODIES: Refusal[] = ['invalid_request', 'payload_too_large', 'invalid_content_type']
const OF_ASKING: Refusal[] = ['internal_error']
