import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createRequestLog,
  type RefusedRequest,
  type RefusedRequests,
} from '../../../../lib/runtime/request-log/request-log.ts'

const APP = `app_${'a'.repeat(32)}`
let statements: RefusedRequests[][]
let counts: Record<string, number>
let failures: unknown[]
/** The end of the statement that runs; null if statements end at once. */
let ending: Promise<void> | null
let isAway: boolean

beforeEach(() => {
  vi.useFakeTimers()
  statements = []
  counts = { stored: 0, dropped: 0 }
  failures = []
  ending = null
  isAway = false
})
afterEach(() => vi.useRealTimers())

test('the refused requests of a second are stored with one statement, and equal ones share a row', async () => {
  const log = start()
  for (let i = 0; i < 500; i++) log.record(refusal({ request_id: `r${i}` }))
  log.record(refusal({ code: 'invalid_action', request_id: 'other' }))
  expect(statements).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(statements).toEqual([
    [
      expect.objectContaining({ code: 'invalid_proof', request_id: 'r0', times: 500 }),
      expect.objectContaining({ code: 'invalid_action', request_id: 'other', times: 1 }),
    ],
  ])
  expect(counts).toEqual({ stored: 501, dropped: 0 })
})

test('a row has the time of its first request', async () => {
  vi.setSystemTime(new Date('2026-01-02T03:04:05.678Z'))
  const log = start()
  log.record(refusal())
  await vi.advanceTimersByTimeAsync(900)
  log.record(refusal())
  await vi.advanceTimersByTimeAsync(1_000)
  expect(statements[0]?.[0]?.created_at).toBe('2026-01-02T03:04:05.678Z')
})

test('an app gets at most ten rows a second, and another app still gets its row', async () => {
  const log = start()
  for (let i = 0; i < 100; i++) log.record(refusal({ detail: `Reason ${i}` }))
  log.record(refusal({ app: `app_${'b'.repeat(32)}` }))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(statements[0]).toHaveLength(11)
  expect(counts).toEqual({ stored: 11, dropped: 90 })
})

test('the memory and a statement have at most 300 rows, and the others are counted as dropped', async () => {
  const log = start()
  for (let i = 0; i < 3_000; i++) log.record(refusal({ app: `app_${i}` }))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(statements.map(({ length }) => length)).toEqual([300])
  expect(counts).toEqual({ stored: 300, dropped: 2_700 })
})

test('while a statement runs, no other begins', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  ending = promise
  const log = start()
  log.record(refusal())
  await vi.advanceTimersByTimeAsync(1_000)
  log.record(refusal())
  await vi.advanceTimersByTimeAsync(10_000)
  expect(statements).toHaveLength(1)
  resolve()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(statements).toHaveLength(2)
})

test('while the database is away, rows are dropped and counted, and the log has one line', async () => {
  isAway = true
  const log = start()
  for (let i = 0; i < 3; i++) {
    log.record(refusal())
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(failures).toHaveLength(1)
  isAway = false
  log.record(refusal())
  await vi.advanceTimersByTimeAsync(1_000)
  expect(counts).toEqual({ stored: 1, dropped: 3 })
})

test('at the end of the process the remaining rows are stored', async () => {
  const log = start()
  log.record(refusal())
  await log.close()
  expect(statements).toHaveLength(1)
})

function start() {
  return createRequestLog({
    async store(rows) {
      if (isAway) throw new Error('away')
      statements.push(rows)
      await ending
    },
    count: (outcome, requests) => {
      counts[outcome] = (counts[outcome] ?? 0) + requests
    },
    onFailure: (error) => failures.push(error),
    now: Date.now,
  })
}

function refusal(change: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    app: APP,
    endpoint: '/api/v2/verify',
    code: 'invalid_proof',
    attribute: null,
    detail: 'The proof is not valid for these values.',
    reasons: [],
    request_id: 'r',
    ...change,
  }
}
