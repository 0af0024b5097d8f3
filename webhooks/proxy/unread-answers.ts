import type { ServerResponse } from 'node:http'
import { present } from '../../lib/runtime/present.ts'

/** Bounds what clients leave unread: an answer is in memory until its client has taken it. */
export type UnreadAnswers = {
  /**
   * Counts an answer as one of a caller's until it is sent. Beyond the bounds the oldest answers of the caller who has
   * left the most unread are cut off.
   *
   * @param bytes of its body
   */
  count(caller: string, response: ServerResponse, bytes: number): void
}

type Bounds = { maxBytes: number; maxBytesPerCaller: number }

export function createUnreadAnswers({ maxBytes, maxBytesPerCaller }: Bounds): UnreadAnswers {
  const callers = new Map<string, Unread>()
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

  function cutOffOldest(caller: string) {
    const unread = present(callers.get(caller), 'a caller with unread answers')
    const [response] = present(unread.answers.entries().next().value, 'an unread answer')
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
      while (unread.bytes > maxBytesPerCaller) cutOffOldest(caller)
      while (total > maxBytes) cutOffOldest(whoLeftMost(callers))
    },
  }
}

/** The answers of a caller, the oldest first, with their bytes. */
type Unread = { answers: Map<ServerResponse, number>; bytes: number }

function whoLeftMost(callers: ReadonlyMap<string, Unread>): string {
  const [most] = [...callers].toSorted(([, a], [, b]) => b.bytes - a.bytes)
  return present(most, 'a caller with unread answers')[0]
}
