import { expect, test } from 'vitest'
import { ApiError } from '../../../../lib/runtime/errors.ts'
import { RequestContext } from '../../../../lib/runtime/http/request-context.ts'
import { createLogger } from '../../../../lib/runtime/log/log.ts'
import { createRefusalRecorder } from '../../../../lib/runtime/request-log/record-refusals.ts'
import type { RefusedRequest } from '../../../../lib/runtime/request-log/request-log.ts'

const APP = `app_staging_${'a'.repeat(32)}`

test('a refused request is recorded with its path without ids, its code and its field', () => {
  const error = new ApiError('invalid_merkle_root', { attribute: 'merkle_root' })
  expect(recorded(error, { route: '/api/v2/verify{/:app_id}' })).toEqual([
    {
      app: APP,
      endpoint: '/api/v2/verify',
      code: 'invalid_merkle_root',
      attribute: 'merkle_root',
      detail: 'No group that proves this level has this Merkle root.',
      reasons: [],
      request_id: 'request-1',
    },
  ])
})

test.each([
  ['/authorize/:uid', '/authorize'],
  ['/login/:uid/cancel', '/login'],
  ['/token', '/token'],
])('the endpoint of the route %s is %s', (route, endpoint) => {
  expect(recorded(new ApiError('unavailable'), { route })).toMatchObject([{ endpoint }])
})

test.each([`rp_${'0'.repeat(16)}`, `wid_staging_${'f'.repeat(32)}`, `action_${'1'.repeat(32)}`])(
  'a request that names its app by %s is recorded',
  (app) => {
    expect(recorded(new ApiError('not_found'), { app })).toMatchObject([{ app }])
  },
)

test.each([null, '', 'app_', 'app_nobody', `usr_${'a'.repeat(32)}`, `app_${'a'.repeat(33)}`])(
  'a request with the app %j, which no app can have, is not recorded',
  (app) => {
    expect(recorded(new ApiError('not_found'), { app })).toEqual([])
  },
)

test('a response without an error is not recorded', () => {
  expect(recorded(null, {})).toEqual([])
})

test('a long number or token in a message is left out, and a message has at most 300 characters', () => {
  const nullifier = `0x${'ab'.repeat(32)}`
  const detail = `got ${nullifier}, ${'9'.repeat(70)}\u0000\ud800 ${'word '.repeat(100)}`
  const [row] = recorded(new ApiError('invalid_request', { detail, attribute: 'a'.repeat(5_000) }))
  expect(row?.detail).toMatch(/^got …, … . word word /)
  expect(row?.detail.length).toBe(300)
  expect(row?.detail.isWellFormed()).toBe(true)
  expect(row?.attribute).toBe('…')
})

test('the codes of the proofs are recorded, each once, and not their nullifiers', () => {
  const results = [
    { identifier: 'orb', code: 'invalid_root', nullifier: '0x1' },
    { identifier: 'face', code: 'invalid_proof' },
    { identifier: 'device', code: 'invalid_root' },
  ]
  const [row] = recorded(new ApiError('all_verifications_failed', { results }))
  expect(row?.reasons).toEqual(['invalid_root', 'invalid_proof'])
  expect(JSON.stringify(row)).not.toContain('0x1')
})

function recorded(
  refusal: ApiError | null,
  { route = '/token', app = APP }: { route?: string; app?: string | null } = {},
): RefusedRequest[] {
  const rows: RefusedRequest[] = []
  const context = new RequestContext('request-1', createLogger('test', 'silent'))
  Object.assign(context, { refusal, appReference: app })
  createRefusalRecorder({ record: (row) => rows.push(row), close: async () => {} })(
    { route },
    context,
  )
  return rows
}
