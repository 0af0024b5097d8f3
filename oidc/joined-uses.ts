import { Provider } from 'oidc-provider'

/**
 * Lets the library go on while a code is used up, since it goes on to the token that it stores for the
 * code: so both are one statement, and one commit.
 *
 * A token is stored when its code was used up by the same request, and not before. If somebody else has
 * used the code up, the library hears of it where it waits for the token, which then nobody is told.
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
