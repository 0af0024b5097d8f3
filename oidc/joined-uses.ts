import { Provider } from 'oidc-provider'

/**
 * Lets the library go on while a code is used up, or a sign-in ended, since it goes on to the token, or
 * the code, that it stores in return: so both are one statement, and one commit.
 *
 * What is stored in return is there once the same request has used the other up, and not before. If
 * somebody else was first, the library hears of it where it waits for what it stores, which then nobody
 * is told.
 */
export function joinedUses() {
  const underWay = new WeakMap<object, Promise<void>>()
  return {
    /** Outside a request of the library nothing will be stored: then it waits. */
    async add(use: Promise<void>): Promise<void> {
      const request = Provider.ctx
      if (!request) return use
      underWay.set(request, use)
      // The library may refuse the request for reasons of its own, and store nothing.
      use.catch(() => {})
    },
    /** @throws what the use of the code has thrown */
    async join(stored: Promise<unknown>): Promise<void> {
      const request = Provider.ctx
      await Promise.all([request && underWay.get(request), stored])
    },
  }
}
