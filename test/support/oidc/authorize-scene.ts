import { registerClient, type TestClient } from './register-client.ts'
import { test } from './sign-in-test.ts'
import type { TestSignIn } from './start-sign-in.ts'
import { fetchVia } from './visitor.ts'

/** The sign-in server that files share, and a client of the file that has set this scene. */
export let platform: TestSignIn
export let client: TestClient

/** Sets the scene before the tests of the file that calls this. */
export function setTheScene(): void {
  test.beforeAll(async ({ signIn }) => {
    platform = signIn
    client = await registerClient(platform.url)
  })
}

/** The answer of /authorize to a client, which follows no redirect. */
export async function ask(url: string, headers: Record<string, string> = {}) {
  const response = await fetchVia(platform.url)(url, { headers })
  const location = response.headers.get('location')
  const text = await response.text()
  const json = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, location, text, ...json }
}

/** The parameters that the redirect passes to the client. */
export function told(location: string | null) {
  const { search, hash } = new URL(location ?? '')
  return Object.fromEntries(new URLSearchParams(search || hash.slice(1)))
}
