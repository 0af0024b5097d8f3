import type { Stack } from '../stack/stack.ts'
import type { Surroundings } from '../stack/surroundings.ts'

/** What every step acts on. */
export type World = {
  stack: Stack
  surroundings: Surroundings
  /** The developer API and the sign-in server, as callers reach them: through the proxy. */
  baseUrl: string
  authUrl: string
  /** The website that people sign in to. */
  demoUrl: string
  /** With which the load reads: a key of the demo team, and another team's while that one is reset. */
  apiKey: string
  otherKey: string
}

/** How many instances of each service there are. */
export const INSTANCES = { webhooks: 3, oidc: 2 } as const

/** What fails a step. */
export function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise)
}
