import { registerClient, type TestClient } from './register-client.ts'
import { test } from './sign-in-test.ts'
import type { TestSignIn } from './start-sign-in.ts'
import { fetchVia } from './visitor.ts'

/** The shared sign-in server, and a client of the test file that has called `setTheScene`. */
export let platform: TestSignIn
export let client: TestClient

/** Registers a client before the tests of the calling file. */
export function setTheScene(): void {
  test.beforeAll(async ({ signIn }) => {
    platform = signIn
    client = await registerClient(platform.url)
  })
}

/**
 * Requests a URL of the sign-in server without following redirects. Returns the status, the text and the JSON fields.
 */
export async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetchVia(platform.url)(url, { headers })
  const location = response.headers.get('location')
  const text = await response.text()
  const json = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, location, text, ...json }
}

/** Returns the parameters that a redirect passes to the client. */
export function redirectParameters(location: string | null) {
  const { search, hash } = new URL(location ?? '')
  return Object.fromEntries(new URLSearchParams(search || hash.slice(1)))
}
