import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import {
  abortAfter,
  abortOnClose,
  allAborted,
} from '../../../../lib/runtime/limits/abort-signals.ts'

afterEach(() => void vi.useRealTimers())

test('a signal of several is aborted when the last of them is', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal } = allAborted([one.signal, other.signal])
  one.abort()
  expect(signal.aborted).toBe(false)
  other.abort()
  expect(signal.aborted).toBe(true)
})

test('a signal that occurs twice among several counts once', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal } = allAborted([one.signal, other.signal, one.signal])
  other.abort()
  one.abort()
  expect(signal.aborted).toBe(true)
})

test('a signal of several that are aborted already is aborted from the start', () => {
  const aborted = [AbortSignal.abort(), AbortSignal.abort()]
  expect(allAborted(aborted).signal.aborted).toBe(true)
})

test('a released signal no longer follows the signals that it was made of', () => {
  const [one, other] = [new AbortController(), new AbortController()]
  const { signal, release } = allAborted([one.signal, other.signal])
  release()
  one.abort()
  other.abort()
  expect(signal.aborted).toBe(false)
})

test('a signal with a time limit is aborted when the time is over, and says so', () => {
  vi.useFakeTimers()
  const { signal, hasTimedOut } = abortAfter(new AbortController().signal, 1_000)
  vi.advanceTimersByTime(999)
  expect([signal.aborted, hasTimedOut()]).toEqual([false, false])
  vi.advanceTimersByTime(1)
  expect([signal.aborted, hasTimedOut()]).toEqual([true, true])
})

test('a signal with a time limit is aborted with its parent, which is no timeout', () => {
  const parent = new AbortController()
  const { signal, hasTimedOut, release } = abortAfter(parent.signal, 60_000)
  parent.abort()
  expect([signal.aborted, hasTimedOut()]).toEqual([true, false])
  release()
})

test('a signal without a time limit is its parent', () => {
  const { signal } = new AbortController()
  expect(abortAfter(signal, null).signal).toBe(signal)
})

test('a signal of a socket is aborted when the socket closes', () => {
  const socket = new EventEmitter()
  const signal = abortOnClose(socket)
  expect(signal.aborted).toBe(false)
  socket.emit('close')
  expect(signal.aborted).toBe(true)
})
