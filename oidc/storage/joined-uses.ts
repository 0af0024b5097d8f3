import { Provider } from 'oidc-provider'

/**
 * Lets a request use up a code and store its token in one statement (or end a sign-in and store its
 * code): one round trip and one commit instead of two. The library does the one and then the other, so
 * it is told at once that the first is done, and waits for both when it stores the second.
 *
 * If another request had used up the code, waiting for the store throws, so nobody is given the token.
 */
export function joinedUses() {
  const underWay = new WeakMap<object, Promise<void>>()
  return {
    /** Outside one of the library's requests nothing will be stored, so this waits for the use itself. */
    async add(use: Promise<void>): Promise<void> {
      const request = Provider.ctx
      if (!request) return use
      underWay.set(request, use)
      // If the library then refuses the request, it stores nothing, and nobody awaits this promise.
      use.catch(() => {})
    },
    /** @throws whatever using up the code, or ending the sign-in, has thrown */
    async join(stored: Promise<unknown>): Promise<void> {
      const request = Provider.ctx
      await Promise.all([request && underWay.get(request), stored])
    },
  }
}
