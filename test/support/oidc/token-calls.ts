import { authorizeUrl, postForm, type TestClient } from './register-client.ts'
import { ISSUER } from './start-sign-in.ts'
import { fetchVia, Visitor } from './visitor.ts'

/** Returns functions that sign a person in, and send the requests that a client sends afterwards. */
export function createTokenCalls(getTarget: () => { url: string; client: TestClient }) {
  async function makeCode(parameters: Record<string, string> = {}): Promise<string> {
    const { url, client } = getTarget()
    const back = await new Visitor(url).signIn(authorizeUrl(client, parameters))
    return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  }

  const redeem = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    postForm(getTarget().url, '/token', { grant_type: 'authorization_code', ...form }, headers)

  async function makeTokens() {
    const { basic: authorization } = getTarget().client
    const { body } = await redeem({ code: await makeCode() }, { authorization })
    return { accessToken: String(body.access_token), idToken: String(body.id_token) }
  }

  const introspect = (token: string, { basic: authorization } = getTarget().client) =>
    postForm(getTarget().url, '/introspect', { token }, { authorization })

  async function userinfo(token: string, init: RequestInit = {}) {
    const response = await fetchVia(getTarget().url)(`${ISSUER}/userinfo`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    })
    const body = Object(await response.json())
    return { status: response.status, headers: response.headers, body }
  }

  return { makeCode, redeem, makeTokens, introspect, userinfo }
}

export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
