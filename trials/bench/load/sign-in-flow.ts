import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { type Answer, type Call, type Connection, openConnection } from './http-load.ts'

export const CALLBACK = 'https://rp.example/callback'
export const SCOPE = 'openid email profile'

/** A sign-in server, and the client that signs people in with it. */
export type SignInTarget = {
  url: string
  client: { id: string; basic: string }
  paths: { authorize: string; userinfo: string; introspect: string }
  /** What a relying party sends as its bearer token, for an access token that it was given. */
  bearerOf(accessToken: string): string
}

/** The bare library's page has no such facts. */
const PageFacts = z.object({ csrf: z.string().optional() })
const Proven = z.object({ redirect_to: z.string() })

/** The answer to a code, as far as a flow needs it. */
export const TokenResponse = z.object({ access_token: z.string() })

const FORM = 'application/x-www-form-urlencoded'

/** So many people on so many connections, each from `/authorize` to the claims. */
export async function signInAll(target: SignInTarget, people: number, connections: number) {
  const queue = Array.from({ length: people }).values()
  const work = async () => {
    const connection = await openConnection(target.url)
    for (const _ of queue) await signInOnce(target, connection)
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
}

/** As a browser and a relying party do it: the page, the redirect back, the tokens, the claims. */
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
  const visit = cookieKeepingBrowser(connection)
  const begun = await visit({ method: 'GET', path: `${paths.authorize}?${query}`, body: '' })
  const page = redirectTarget(begun)
  const shown = await visit({ method: 'GET', path: page, body: '' })
  const [, facts = '{}'] = /id="facts">(.*?)<\/script>/.exec(shown.text) ?? []
  const proof = {
    csrf: PageFacts.parse(JSON.parse(facts)).csrf,
    proof: '0x',
    merkle_root: '0x',
    nullifier_hash: '0x1',
    verification_level: 'orb',
  }
  const proven = await visit({ path: page, body: JSON.stringify(proof) })
  const way = new URL(Proven.parse(JSON.parse(proven.text)).redirect_to)
  const back = await visit({ method: 'GET', path: way.pathname, body: '' })
  const code = requireValue(
    new URL(redirectTarget(back)).searchParams.get('code'),
    'the code of the redirect',
  )
  const tokens = await connection.send(redeemCall(target, code))
  const { access_token } = TokenResponse.parse(JSON.parse(tokens.text))
  const authorization = `Bearer ${target.bearerOf(access_token)}`
  const headers = { authorization }
  const claims = await connection.send({ method: 'GET', path: paths.userinfo, body: '', headers })
  if (claims.status !== 200) throw new Error(`a flow failed: ${claims.status} ${claims.text}`)
}

/** What redeems a code for tokens. */
export function redeemCall({ client }: SignInTarget, code: string): Call {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const headers = { 'content-type': FORM, authorization: client.basic }
  return { path: '/token', body: String(new URLSearchParams(form)), headers }
}

/** Keeps its cookies and sends them back. */
function cookieKeepingBrowser(connection: Connection): (call: Call) => Promise<Answer> {
  const cookies: string[] = []
  return async (call) => {
    const answer = await connection.send({ ...call, headers: { cookie: cookies.join('; ') } })
    for (const [, cookie = ''] of answer.head.matchAll(/^set-cookie: ([^;\r]*)/gim))
      cookies.push(cookie)
    return answer
  }
}

function redirectTarget({ head }: Answer): string {
  const [, location = ''] = requireValue(/^location: (.*)\r$/im.exec(head), 'a redirect')
  return location
}
