import type { ServerResponse } from 'node:http'
import { requireValue } from '../../lib/runtime/require-value.ts'

/** Bounds the bytes of unread responses, because a response stays in memory until its client has read it. */
export type UnreadAnswers = {
  /**
   * Counts the bytes of a response for a caller until the response is sent. Above the caller's limit, closes the caller's
   * oldest responses. Above the total limit, closes the oldest responses of the callers with the most unread bytes.
   *
   * @param bytes the size of the body
   */
  count(caller: string, response: ServerResponse, bytes: number): void
}

type Bounds = { maxBytes: number; maxBytesPerCaller: number }

export function createUnreadAnswers({ maxBytes, maxBytesPerCaller }: Bounds): UnreadAnswers {
  const callers = new Map<string, CallerAnswers>()
  let total = 0

  function forget(caller: string, response: ServerResponse) {
    const unread = callers.get(caller)
    const bytes = unread?.answers.get(response)
    if (!unread || bytes === undefined) return
    unread.answers.delete(response)
    unread.bytes -= bytes
    total -= bytes
    if (unread.answers.size === 0) callers.delete(caller)
  }

  function closeOldest(caller: string) {
    const unread = requireValue(callers.get(caller), 'a caller with unread answers')
    const [response] = requireValue(unread.answers.entries().next().value, 'an unread answer')
    forget(caller, response)
    response.destroy()
  }

  return {
    count(caller, response, bytes) {
      const unread = callers.get(caller) ?? { answers: new Map(), bytes: 0 }
      callers.set(caller, unread)
      unread.answers.set(response, bytes)
      unread.bytes += bytes
      total += bytes
      for (const event of ['finish', 'close']) response.once(event, () => forget(caller, response))
      while (unread.bytes > maxBytesPerCaller) closeOldest(caller)
      while (total > maxBytes) closeOldest(callerWithMostBytes(callers))
    },
  }
}

/** The unread responses of a caller with their bytes, oldest first. */
type CallerAnswers = { answers: Map<ServerResponse, number>; bytes: number }

function callerWithMostBytes(callers: ReadonlyMap<string, CallerAnswers>): string {
  const [heaviest] = [...callers].toSorted(([, a], [, b]) => b.bytes - a.bytes)
  return requireValue(heaviest, 'a caller with unread answers')[0]
}
