import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { type Call, type CallResponse, type Connection, openConnection } from './http-load.ts'

export const CALLBACK = 'https://rp.example/callback'
export const SCOPE = 'openid email profile'

/** A sign-in server, and the client that signs people in with it. */
export type SignInTarget = {
  url: string
  client: { id: string; basic: string }
  paths: { authorize: string; userinfo: string; introspect: string }
  /** Creates the bearer token that a relying party sends for this access token. */
  createBearer(accessToken: string): string
}

/** The data of the login page; the page of bare oidc-provider has none. */
const PageFacts = z.object({ csrf: z.string().optional() })
const ProofResponse = z.object({ redirect_to: z.string() })

/** The part of the token response that a flow needs. */
export const TokenResponse = z.object({ access_token: z.string() })

const FORM = 'application/x-www-form-urlencoded'

/** Signs `people` in on `connections` connections, each person from `/authorize` to the claims. */
export async function signInAll(target: SignInTarget, people: number, connections: number) {
  const queue = Array.from({ length: people }).values()
  const signInUntilDone = async () => {
    const connection = await openConnection(target.url)
    for (const _ of queue) await signInOnce(target, connection)
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, signInUntilDone))
}

/** Signs a person in like a browser and a relying party: the page, the redirect back, the tokens, the claims. */
async function signInOnce(target: SignInTarget, connection: Connection) {
  const { paths, client } = target
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: CALLBACK,
    scope: SCOPE,
    state: 's',
    nonce: 'n',
  })
  const visit = createBrowser(connection)
  const startResponse = await visit({
    method: 'GET',
    path: `${paths.authorize}?${query}`,
    body: '',
  })
  const page = readLocation(startResponse)
  const pageResponse = await visit({ method: 'GET', path: page, body: '' })
  const [, facts = '{}'] = /id="facts">(.*?)<\/script>/.exec(pageResponse.text) ?? []
  const proof = {
    csrf: PageFacts.parse(JSON.parse(facts)).csrf,
    proof: '0x',
    merkle_root: '0x',
    nullifier_hash: '0x1',
    verification_level: 'orb',
  }
  const proofResponse = await visit({ path: page, body: JSON.stringify(proof) })
  const redirectUrl = new URL(ProofResponse.parse(JSON.parse(proofResponse.text)).redirect_to)
  const callbackRedirect = await visit({ method: 'GET', path: redirectUrl.pathname, body: '' })
  const code = requireValue(
    new URL(readLocation(callbackRedirect)).searchParams.get('code'),
    'the code of the redirect',
  )
  const tokens = await connection.send(createTokenCall(target, code))
  const { access_token } = TokenResponse.parse(JSON.parse(tokens.text))
  const authorization = `Bearer ${target.createBearer(access_token)}`
  const headers = { authorization }
  const claims = await connection.send({ method: 'GET', path: paths.userinfo, body: '', headers })
  if (claims.status !== 200)
    throw new Error(`A sign-in flow failed: ${claims.status} ${claims.text}`)
}

/** Creates the call that redeems a code for tokens. */
export function createTokenCall({ client }: SignInTarget, code: string): Call {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const headers = { 'content-type': FORM, authorization: client.basic }
  return { path: '/token', body: String(new URLSearchParams(form)), headers }
}

/** Creates a browser that stores cookies and sends them back. */
function createBrowser(connection: Connection): (call: Call) => Promise<CallResponse> {
  const cookies: string[] = []
  return async (call) => {
    const answer = await connection.send({ ...call, headers: { cookie: cookies.join('; ') } })
    for (const [, cookie = ''] of answer.head.matchAll(/^set-cookie: ([^;\r]*)/gim))
      cookies.push(cookie)
    return answer
  }
}

function readLocation({ head }: CallResponse): string {
  const [, location = ''] = requireValue(/^location: (.*)\r$/im.exec(head), 'a redirect')
  return location
}
