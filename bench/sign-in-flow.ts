import { Agent, request } from 'node:http'
import type { Call } from './load.ts'
import { CALLBACK, SCOPE } from './sign-in-contenders.ts'
import type { Contender } from './sign-in-site.ts'

const FORM = 'application/x-www-form-urlencoded'

/** So many people on so many connections, each from `/authorize` to the claims. */
export async function signInAll(contender: Contender, people: number, connections: number) {
  const queue = Array.from({ length: people }).values()
  const work = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (const _ of queue) await signInOnce(contender, sender(contender.url, agent))
    agent.destroy()
  }
  await Promise.all(Array.from({ length: connections }, work))
}

/** As a browser and a relying party do it: over the page and the way back to the tokens and the claims. */
async function signInOnce(contender: Contender, send: Send) {
  const { paths, client } = contender
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: CALLBACK,
    scope: SCOPE,
    state: 's',
    nonce: 'n',
  })
  const cookies: string[] = []
  const begun = await send('GET', `${paths.authorize}?${query}`, { cookies })
  const page = await send('GET', begun.location, { cookies })
  const [, facts = '{}'] = /id="facts">(.*?)<\/script>/.exec(page.text) ?? []
  const proof = {
    csrf: JSON.parse(facts).csrf,
    proof: '0x',
    merkle_root: '0x',
    nullifier_hash: '0x1',
    verification_level: 'orb',
  }
  const proven = await send('POST', begun.location, {
    cookies,
    body: JSON.stringify(proof),
    type: 'application/json',
  })
  const way = new URL(JSON.parse(proven.text).redirect_to)
  const back = await send('GET', way.pathname, { cookies })
  const code = new URL(back.location).searchParams.get('code') ?? ''
  const { path, body, headers } = redeem(contender, code)
  const tokens = await send('POST', path, { body, type: FORM, ...headers })
  const { access_token } = JSON.parse(tokens.text)
  const authorization = `Bearer ${contender.bearerOf(access_token)}`
  const claims = await send('GET', paths.userinfo, { authorization })
  if (claims.status !== 200) throw new Error(`a flow failed: ${claims.status} ${claims.text}`)
}

/** What redeems a code for tokens. */
export function redeem({ client }: Contender, code: string): Call {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const headers = { 'content-type': FORM, authorization: client.basic }
  return { path: '/token', body: String(new URLSearchParams(form)), headers }
}

type Send = (method: string, path: string, sending: Sending) => Promise<Sent>
type Sending = { cookies?: string[]; body?: string; type?: string; authorization?: string }
type Sent = { status: number; location: string; text: string }

function sender(url: string, agent: Agent): Send {
  const { hostname, port } = new URL(url)
  return (method, path, { cookies = [], body = '', type, authorization }) =>
    new Promise((resolve, reject) => {
      const headers = {
        cookie: cookies.join('; '),
        'content-length': Buffer.byteLength(body),
        ...(type && { 'content-type': type }),
        ...(authorization && { authorization }),
      }
      const call = request({ method, hostname, port, path, agent, headers }, (response) => {
        for (const cookie of response.headers['set-cookie'] ?? [])
          cookies.push(cookie.split(';')[0] ?? '')
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        const { statusCode: status = 0 } = response
        const { location = '' } = response.headers
        response.on('end', () => resolve({ status, location, text }))
      })
      call.on('error', reject).end(body)
    })
}
