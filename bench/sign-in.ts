import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { decodeJwt } from 'jose'
import { Client } from 'pg'
import { startThrowaway } from '../platform/throwaway.ts'
import { type Call, callOnce, closedLoop } from './load.ts'
import { costOf } from './process-cost.ts'
import type { Row } from './row.ts'
import type { Minted, Order } from './sign-in-contenders.ts'

const CONNECTIONS = 16 * availableParallelism()
/** Before a server is as fast as it stays, its code has run some thousand times. */
const WARM_UP = 6
const ROUNDS = 6
const ISSUER = 'http://localhost:1'
const CALLBACK = 'https://rp.example/callback'

/**
 * The sign-in server against the library alone with its storage in memory: the same signed access
 * tokens, keys of the same size, one process each, the same requests in turn. With `--large`, also with
 * a million live rows, and 100,000 flows.
 */
export async function signIn(large: boolean): Promise<Row[]> {
  const platform = await startThrowaway()
  const ours = await start('ours', environmentOf(platform.facts))
  const bare = await start('bare', environmentOf(platform.facts))
  try {
    const oursClient = await register(ours.url)
    const bareClient = { id: 'client', basic: basic('client', 'secret') }
    const pair = [
      { ...ours, name: 'ours', client: oursClient },
      { ...bare, name: 'the library alone', client: bareClient },
    ] as const
    const rows = await compareAll(pair)
    if (!large) return rows
    await fill(platform.facts.databaseUrl, 1_000_000)
    const full = await compareAll(pair)
    const flows = await soak(pair[0], 100_000)
    return [...rows, ...rows.flatMap((row, i) => grown(row, full[i])), flows]
  } finally {
    ours.child.disconnect()
    bare.child.disconnect()
    await platform.stop()
  }
}

/** The same with a million rows, beside what it was without them. */
function grown(empty: Row, full: Row | undefined): Row[] {
  if (!full) return []
  return [
    {
      ...full,
      name: `${full.name}, 1 million rows`,
      baseline: empty.value,
      wanted: { atLeast: 1 / 1.2 },
    },
  ]
}

type RelyingParty = { id: string; basic: string }
type Contender = { name: string; url: string; child: ChildProcess; client: RelyingParty }
type Pair = readonly [ours: Contender, bare: Contender]

async function compareAll(pair: Pair): Promise<Row[]> {
  return [
    await compare('GET /userinfo', pair, async (contender) => {
      const authorization = `Bearer ${await tokenOf(contender)}`
      return {
        count: 600,
        calls: repeat({ path: '/userinfo', body: '', headers: { ...FORM, authorization } }),
      }
    }),
    await compare('POST /introspect', pair, async (contender) => {
      const body = String(new URLSearchParams({ token: await tokenOf(contender) }))
      const headers = { ...FORM, authorization: contender.client.basic }
      return { count: 600, calls: repeat({ path: '/introspect', body, headers }) }
    }),
    await compare('POST /token', pair, async (contender) => {
      const { codes } = await mint(contender, CODES)
      return { count: CODES, calls: codes.map((code) => redeem(contender, code)) }
    }),
    await compareFlows(pair),
  ]
}

/** The library's storage in memory keeps a thousand things; each code is three, and four once redeemed. */
const CODES = 120

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

type Load = { count: number; calls: Iterable<Call> }

async function compare(
  name: string,
  pair: Pair,
  prepare: (contender: Contender) => Promise<Load>,
): Promise<Row> {
  return judge(name, pair, async (contender) => {
    const { calls, count } = await prepare(contender)
    const paths = contender.client.id === 'client' ? bareCalls(calls) : calls
    return measure(contender, async () => {
      const { samples } = await closedLoop(contender.url, take(paths, count), CONNECTIONS)
      const failed = samples.filter((sample) => sample.failed)
      if (failed.length > 0)
        throw new Error(
          `${name} of ${contender.name}: ${failed.length} failed: ${failed[0]?.status}`,
        )
      return samples.length
    })
  })
}

/** The library's own paths, which our configuration replaces. */
const PATHS: Record<string, string> = { '/userinfo': '/me', '/introspect': '/token/introspection' }

function* bareCalls(calls: Iterable<Call>): Generator<Call> {
  for (const call of calls) yield { ...call, path: PATHS[call.path] ?? call.path }
}

/** From /authorize over the page and the way back to the tokens and the claims. */
async function compareFlows(pair: Pair): Promise<Row> {
  return judge('the whole code flow, without the check of the proof', pair, (contender) =>
    measure(contender, async () => {
      await Promise.all(times(CONNECTIONS, () => flows(contender, 15)))
      return CONNECTIONS * 15
    }),
  )
}

type Measured = { perSecond: number; cpuMs: number }

/** In turn, and the best of all rounds: what a neighbour on the machine costs is nobody's figure. */
async function judge(
  name: string,
  [ours, bare]: Pair,
  run: (contender: Contender) => Promise<Measured>,
): Promise<Row> {
  const measured: [Measured, Measured][] = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++)
    measured.push([await run(ours), await run(bare)])
  const counted = measured.slice(WARM_UP)
  const best = (side: 0 | 1) => Math.max(...counted.map((pair) => pair[side].perSecond))
  const cpu = (side: 0 | 1) => Math.min(...counted.map((pair) => pair[side].cpuMs))
  return {
    name,
    value: best(0),
    unit: '/s',
    baseline: best(1),
    wanted: { atLeast: 0.7 },
    note: `CPU of the process: ${cpu(0).toFixed(2)} ms each, the library ${cpu(1).toFixed(2)} ms (${(cpu(1) / cpu(0)).toFixed(2)} ×)`,
  }
}

async function measure({ child }: Contender, run: () => Promise<number>): Promise<Measured> {
  const pid = child.pid ?? 0
  const before = costOf(pid)
  const started = performance.now()
  const count = await run()
  const seconds = (performance.now() - started) / 1_000
  return { perSecond: count / seconds, cpuMs: (costOf(pid).cpuMs - before.cpuMs) / count }
}

async function tokenOf(contender: Contender): Promise<string> {
  const { codes } = await mint(contender, 1)
  const { text } = await callOnce(contender.url, redeem(contender, codes[0] ?? ''))
  return bearerOf(contender, JSON.parse(text).access_token)
}

/** What is shown for an access token: the library alone knows the handle in it, and no signed ones. */
function bearerOf({ client }: Contender, accessToken: string): string {
  return client.id === 'client' ? String(decodeJwt(accessToken).jti) : accessToken
}

function redeem({ client }: Contender, code: string): Call {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const headers = { ...FORM, authorization: client.basic }
  return { path: '/token', body: String(new URLSearchParams(form)), headers }
}

/** So many people, one after the other, as browsers and relying parties do it. */
async function flows(contender: Contender, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = sender(contender.url, agent)
  const bareOnes = contender.client.id === 'client'
  for (let i = 0; i < count; i++) {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: contender.client.id,
      redirect_uri: CALLBACK,
      scope: 'openid email profile',
      state: 's',
      nonce: 'n',
    })
    const cookies: string[] = []
    const begun = await send('GET', `${bareOnes ? '/auth' : '/authorize'}?${query}`, { cookies })
    const page = await send('GET', begun.location, { cookies })
    const [, facts = '{}'] = /id="facts">(.*?)<\/script>/.exec(page.text) ?? []
    const { csrf } = JSON.parse(facts)
    const proof = {
      csrf,
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
    const tokens = await send('POST', path, {
      cookies: [],
      body,
      type: FORM['content-type'],
      ...headers,
    })
    const { access_token } = JSON.parse(tokens.text)
    const authorization = `Bearer ${bearerOf(contender, access_token)}`
    const claims = await send('GET', bareOnes ? '/me' : '/userinfo', { cookies: [], authorization })
    if (claims.status !== 200) throw new Error(`a flow failed: ${claims.status} ${claims.text}`)
  }
  agent.destroy()
}

type Sent = { status: number; location: string; text: string }
type Sending = { cookies: string[]; body?: string; type?: string; authorization?: string }

function sender(url: string, agent: Agent) {
  const { hostname, port } = new URL(url)
  return (method: string, path: string, sending: Sending): Promise<Sent> =>
    new Promise((resolve, reject) => {
      const { cookies, body = '', type, authorization } = sending
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

const STEP = 10_000

/**
 * The heap, after a forced collection, from the first ten thousand flows on (by then all that is
 * remembered is) to as many as are wanted, or as fit into six minutes.
 */
async function soak(contender: Contender, wanted: number): Promise<Row> {
  const ends = performance.now() + 6 * 60_000
  const heaps: number[] = []
  while (heaps.length * STEP < wanted && performance.now() < ends) {
    await Promise.all(times(CONNECTIONS, () => flows(contender, STEP / CONNECTIONS)))
    heaps.push(Number(Object(await tell(contender.child, { kind: 'memory' })).heapMb))
  }
  const [first = Number.NaN] = heaps
  return {
    name: `heap after ${(heaps.length * STEP).toLocaleString('en')} flows`,
    value: heaps.at(-1) ?? Number.NaN,
    unit: 'MB',
    baseline: first,
    wanted: { atMost: 1.1 },
    note: `after each ${STEP.toLocaleString('en')}: ${heaps.map((mb) => mb.toFixed(1)).join(', ')}`,
  }
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}

function* repeat(call: Call): Generator<Call> {
  for (;;) yield call
}

function* take(calls: Iterable<Call>, count: number): Generator<Call> {
  let left = count
  for (const call of calls) {
    if (left-- === 0) return
    yield call
  }
}

type Facts = Awaited<ReturnType<typeof startThrowaway>>['facts']

function environmentOf({ databaseUrl, hasura, rpcUrl }: Facts): Record<string, string> {
  const secret = (name: string) => `${name} of a measurement, and nothing else`
  return {
    NODE_ENV: 'production',
    AUTH_URL: ISSUER,
    DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_ENDPOINT: hasura.endpoint,
    HASURA_GRAPHQL_ADMIN_SECRET: hasura.adminSecret,
    COOKIE_KEYS: [secret('first cookie key'), secret('second cookie key')]
      .map((key) => key.replaceAll(',', ''))
      .join(),
    CLIENT_SECRET_PEPPER: secret('pepper').replaceAll(',', ''),
    SIGNING_KEY_SECRET: secret('seal').replaceAll(',', ''),
    CHAIN_RPC_URL: rpcUrl,
    VERIFIER_THREADS: '1',
    ...Object.fromEntries(
      ['REGISTER', 'TOKEN', 'SIGN_IN'].map((name) => [`RATE_LIMIT_${name}`, '1000000000/60']),
    ),
  }
}

async function start(name: string, env: Record<string, string>) {
  const file = new URL('sign-in-contenders.ts', import.meta.url)
  const child = fork(file, [name], {
    env: { PATH: process.env.PATH, ...env },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const [{ url }] = await once(child, 'message', { signal: AbortSignal.timeout(30_000) })
  return { url: String(url), child }
}

async function tell(child: ChildProcess, order: Order): Promise<unknown> {
  const answer = once(child, 'message')
  child.send(order)
  return (await answer)[0]
}

async function mint({ child, client }: Contender, count: number): Promise<Minted> {
  return Object(await tell(child, { kind: 'mint', clientId: client.id, count }))
}

async function register(url: string): Promise<RelyingParty> {
  const body = JSON.stringify({ redirect_uris: [CALLBACK] })
  const { text } = await callOnce(url, { path: '/register', body })
  const { client_id: id, client_secret: secret } = JSON.parse(text)
  return { id, basic: basic(id, secret) }
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
}

/** Live rows of others. */
async function fill(databaseUrl: string, count: number) {
  const client = new Client(databaseUrl)
  await client.connect()
  await client.query(
    `insert into oidc_artifact (model, id, payload, grant_id, expires_at)
     select 'AccessToken', sha256(n::text::bytea), jsonb_build_object('accountId', n, 'scope', 'openid'), n::text, now() + interval '1 hour'
     from generate_series(1, $1) as n`,
    [count],
  )
  await client.query('analyze oidc_artifact')
  await client.end()
}
