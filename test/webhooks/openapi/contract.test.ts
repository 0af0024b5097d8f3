import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { millisToMiddleOfHour } from '../../support/middle-of-an-hour.ts'
import { withIdkit4 } from '../../support/webhooks/idkit-4-result.ts'
import { documented, judge } from '../../support/webhooks/openapi/contract.ts'
import {
  app,
  asTeam,
  type Instance,
  platform,
  transaction,
  withoutHasura,
  withoutProtocol4,
  withoutTables,
  withoutVersion1,
  withTightLimits,
} from '../../support/webhooks/openapi/contract-scene.ts'
import { refusedCalls } from '../../support/webhooks/openapi/refused-calls.ts'
import {
  type Call,
  FORM,
  succeedingCalls,
} from '../../support/webhooks/openapi/succeeding-calls.ts'

describe('responses to unusual requests are documented', () => {
  test.each([
    [
      'a request for a range of a file',
      'GET',
      '/docs/viewer.js',
      { headers: { range: 'bytes=0-10' } },
      200,
    ],
    [
      'a request for a range outside a file',
      'GET',
      '/docs/viewer.js',
      { headers: { range: 'bytes=99999999-' } },
      200,
    ],
    [
      'a conditional request for an unchanged file',
      'GET',
      '/docs/viewer.js',
      { headers: { 'if-none-match': '*' } },
      304,
    ],
    [
      'a request with broken escapes',
      'GET',
      '/api/v2/verify/{app_id}',
      { url: '/api/v2/verify/%ed' },
      400,
    ],
    ['a batch of queries', 'POST', '/v1/graphql', { body: [{ query: '{ __typename }' }] }, 200],
  ])('%s gets a documented response', async (_name, method, template, call: Call, status) => {
    const headers = { ...asTeam(), ...call.headers }
    const answer = await send(platform, method, template, { ...call, headers })
    expect(judge(answer)).toHaveProperty('name')
    expect(answer.status).toBe(status)
  })
})

const successfulCalls = withIdkit4(succeedingCalls)
const errorCalls = withIdkit4(refusedCalls)

/** The documented responses. The failure of `_ens` comes last, because its test stops the chain. */
const names = [...documented()].toSorted(
  (a, b) => Number(a.endsWith('_ens 500')) - Number(b.endsWith('_ens 500')),
)

describe('every documented response occurs', () => {
  test.each(names)('a request gets the documented response %s', async (name) => {
    const [method = '', template = '', status = '', code] = name.split(' ')
    const operation = `${method} ${template}`
    const call = (await errorCalls[name]?.()) ?? (await commonError(operation, status, code))
    const answer = await send(instanceFor(operation, status, code), method, template, {
      ...call,
      headers: { accept: acceptHeader(name), ...call.headers },
    })
    platform.clock.aheadMs = 0
    await platform.db.query('rollback')
    expect(judge(answer)).toEqual({ name })
  })
})

/**
 * Returns the `accept` header with which a documented response occurs. On the paths of mailed links, a response without an
 * error code is an HTML page. GraphQL errors have the status 400 or 500 only with the newer media type.
 */
function acceptHeader(name: string): string {
  if (/graphql (400|500)$/.test(name)) return 'application/graphql-response+json'
  return /(verify-email|accept-invite|reset-password|change-email) \d+$/.test(name)
    ? 'text/html'
    : 'application/json'
}

function instanceFor(operation: string, status: string, code = ''): Instance {
  if (status === '410') return withoutVersion1
  if (code === 'configuration_error') return withoutProtocol4
  if (status === '429') return withTightLimits
  if (status === '503') return withoutHasura
  if (operation.endsWith('/v1/graphql') && status === '500') return platform
  if (status === '500' && operation !== 'POST /api/_ens') return withoutTables
  if (code === 'internal_error') return withoutTables
  return platform
}

/**
 * Fills the only slot and the queue: locks a table, so that requests wait until the test rolls back.
 * Resolves when a request is rejected because the queue is full.
 */
async function occupy(send: () => Promise<unknown>) {
  await platform.db.query('begin')
  await platform.db.query('lock table app')
  // Only the requests for which the queue has no room get a response.
  await Promise.race(Array.from({ length: 12 }, () => send()))
}

/** Changes a successful request of an operation so that it gets an error that many operations can return. */
async function commonError(operation: string, status: string, code = ''): Promise<Call> {
  const call = await successfulCalls[operation]?.()
  if (!call) throw new Error(`Add a successful call of ${operation} to succeedingCalls.`)
  if (status === '429') return tooMuch(operation, call)
  if (status === '403') return { ...call, headers: {} }
  if (status === '415') return withHeaders(call, { 'content-encoding': 'rot13' })
  if (status === '413') return { ...call, body: 'x'.repeat(2_100_001) }
  if (status !== '400') return call
  if (code === 'invalid_request')
    return { ...withHeaders(call, { 'content-encoding': 'gzip' }), body: '{' }
  return /verify-email|accept-invite|reset-password|change-email/.test(operation)
    ? { headers: FORM, body: '', query: '' }
    : { ...call, body: '[]' }
}

/**
 * The number of addresses from which operations were called. Each operation has another address, because the service
 * delays repeated rejections of one address.
 */
let addresses = 0

/** Uses up the rate limit, or fills the queue of GraphQL requests. Returns a further call, which gets 429. */
async function tooMuch(operation: string, allowedCall: Call): Promise<Call> {
  platform.clock.aheadMs = millisToMiddleOfHour()
  addresses += 1
  const call = {
    ...allowedCall,
    headers: { ...allowedCall.headers, 'x-forwarded-for': `192.0.2.${addresses}` },
  }
  const sendOnce = () => send(withTightLimits, ...partsOf(operation), call)
  if (operation.endsWith('/v1/graphql')) await occupy(sendOnce)
  else await sendOnce()
  return call
}

function withHeaders({ body = '{}', ...call }: Call, headers: Record<string, string>): Call {
  return { ...call, body, headers: { ...call.headers, ...headers } }
}

function partsOf(operation: string): [string, string] {
  const [method = '', template = ''] = operation.split(' ')
  return [method, template]
}

/** Sends a request with node:http, because `fetch` cannot send a body with GET. */
function send({ baseUrl }: Instance, method: string, template: string, call: Call) {
  const ids: Record<string, string> = {
    app_id: app,
    id: app,
    rp_id: rpIdOfApp(app),
    transaction_id: transaction,
    user_op_hash: `0x${'7e'.repeat(32)}`,
  }
  const path = call.url ?? template.replaceAll(/\{(\w+)\}/g, (_all, name) => ids[name] ?? '')
  const body = typeof call.body === 'object' ? JSON.stringify(call.body) : (call.body ?? '')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...call.headers,
  }
  return new Promise<Parameters<typeof judge>[0]>((resolve, reject) => {
    const clientRequest = request(
      `${baseUrl}${path}?${call.query ?? ''}`,
      { method, headers },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.once('end', () => {
          const responseHeaders = new Headers()
          for (const [name, value] of Object.entries(response.headers))
            responseHeaders.set(name, String(value))
          resolve({
            method,
            path,
            status: response.statusCode ?? 0,
            headers: responseHeaders,
            body: text,
          })
        })
      },
    )
    clientRequest.once('error', reject).end(body)
  })
}
