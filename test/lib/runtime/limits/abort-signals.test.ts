import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import {
  abortAfter,
  abortOnClose,
  allAborted,
} from '../../../../lib/runtime/limits/abort-signals.ts'

afterEach(() => void vi.useRealTimers())

test('allAborted aborts with the last of its signals', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const { signal } = allAborted([first.signal, second.signal])
  first.abort()
  expect(signal.aborted).toBe(false)
  second.abort()
  expect(signal.aborted).toBe(true)
})

test('allAborted counts a signal only once if it gets the signal twice', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const { signal } = allAborted([first.signal, second.signal, first.signal])
  second.abort()
  first.abort()
  expect(signal.aborted).toBe(true)
})

test('allAborted is aborted from the start if all of its signals are', () => {
  const abortedSignals = [AbortSignal.abort(), AbortSignal.abort()]
  expect(allAborted(abortedSignals).signal.aborted).toBe(true)
})

test('a released signal no longer follows its source signals', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const { signal, release } = allAborted([first.signal, second.signal])
  release()
  first.abort()
  second.abort()
  expect(signal.aborted).toBe(false)
})

test('abortAfter aborts after its time, and reports a timeout', () => {
  vi.useFakeTimers()
  const { signal, hasTimedOut } = abortAfter(new AbortController().signal, 1_000)
  vi.advanceTimersByTime(999)
  expect([signal.aborted, hasTimedOut()]).toEqual([false, false])
  vi.advanceTimersByTime(1)
  expect([signal.aborted, hasTimedOut()]).toEqual([true, true])
})

test('abortAfter aborts with its parent, and reports no timeout', () => {
  const parent = new AbortController()
  const { signal, hasTimedOut, release } = abortAfter(parent.signal, 60_000)
  parent.abort()
  expect([signal.aborted, hasTimedOut()]).toEqual([true, false])
  release()
})

test('abortAfter without a time returns its parent', () => {
  const { signal } = new AbortController()
  expect(abortAfter(signal, null).signal).toBe(signal)
})

test('abortOnClose aborts when the socket closes', () => {
  const socket = new EventEmitter()
  const signal = abortOnClose(socket)
  expect(signal.aborted).toBe(false)
  socket.emit('close')
  expect(signal.aborted).toBe(true)
})
