import type { OutsideServices } from '../stack/outside-services.ts'
import type { Stack } from '../stack/stack.ts'

/** The stack and its addresses, which every step uses. */
export type World = {
  stack: Stack
  outsideServices: OutsideServices
  /** The URLs of the developer API and the sign-in server at the proxy. */
  baseUrl: string
  authUrl: string
  /** The website that people sign in to. */
  demoUrl: string
  /** The demo team's API key, with which the load reads. While it is reset, the load uses the other team's key. */
  apiKey: string
  otherKey: string
}

/** The number of instances of each service. */
export const INSTANCES = { webhooks: 3, oidc: 2 } as const

/** Fails the step with a message if the condition is false. */
export function expectThat(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}
