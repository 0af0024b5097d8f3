import { test } from '../platform-test.ts'
import type { TestPlatform } from '../start-platform.ts'

/** The shared platform, and a team with an app. */
export let platform: TestPlatform
export let team: Awaited<ReturnType<TestPlatform['team']>>

/** Sets the scene for the calling file. */
export function setTheScene(): void {
  test.beforeAll(async ({ platform: shared }) => {
    platform = shared
    team = await platform.team()
    await platform.app({ team })
  })
}

/** The media type of GraphQL over HTTP. */
export const RESPONSE_TYPE = 'application/graphql-response+json'

type GetOptions = { accept?: string; key?: string; method?: string }

/** Sends a request in the query string. */
export async function sendGet(
  parameters: Record<string, string>,
  { accept, key, method = 'GET' }: GetOptions = {},
) {
  const headers = {
    authorization: `Bearer ${key ?? team.apiKey}`,
    ...(accept !== undefined && { accept }),
  }
  const url = `${platform.baseUrl}/v1/graphql?${new URLSearchParams(parameters)}`
  const response = await fetch(url, { method, headers })
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    allow: response.headers.get('allow'),
    body: text && JSON.parse(text),
  }
}

/** Sends a request in a body. */
export async function send(body: object | string, accept = 'application/json') {
  const headers = { authorization: `Bearer ${team.apiKey}`, accept }
  const reply = await platform.post('/v1/graphql', body, headers)
  return { ...reply, type: reply.headers.get('content-type') }
}
