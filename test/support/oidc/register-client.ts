import { ISSUER } from './start-sign-in.ts'
import { fetchVia } from './visitor.ts'

export const CALLBACK = 'https://rp.example/callback'

export type TestClient = { id: string; secret: string; basic: string }

/** Registers a client with all response types, unless `fields` say otherwise. */
export async function registerClient(url: string, fields: object = {}): Promise<TestClient> {
  const { body } = await postRegistration(url, {
    client_name: 'Relying party',
    redirect_uris: [CALLBACK],
    grant_types: 'hybrid',
    ...fields,
  })
  const { client_id: id, client_secret: secret, detail } = body
  if (!id) throw new Error(`The client was not registered: ${detail}`)
  return { id, secret, basic: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** Posts a registration. A body that is a text is sent unchanged. */
export async function postRegistration(url: string, body: unknown) {
  const response = await fetchVia(url)(`${ISSUER}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: Object(await response.json()) }
}

/** Returns the URL at which a client begins a sign-in. An empty parameter is omitted. */
export function authorizeUrl(client: TestClient, parameters: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid email profile',
    client_id: client.id,
    redirect_uri: CALLBACK,
    state: 'some-state',
    nonce: 'some-nonce',
    ...parameters,
  })
  for (const [name, value] of Object.entries(parameters)) if (!value) query.delete(name)
  return `${ISSUER}/authorize?${query}`
}

/** Posts a form to the sign-in server. */
export async function postForm(
  url: string,
  path: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
) {
  const response = await fetchVia(url)(`${ISSUER}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: Object(text && JSON.parse(text)),
  }
}
