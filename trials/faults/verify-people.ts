import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { developmentKey } from '../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../local/simulator/forge.ts'

/** The demo team's app, for which people verify. */
export const APP = 'app_staging_00000000000000000000000000000001'

/** The Merkle root of all proofs in these scenarios. */
export const PEOPLE_ROOT = 0x5ca1ab1en

const CONNECTIONS = 16
const TIMEOUT_MS = 30_000

type Body = { nullifier_hash: string }

/** A person's request and its answer, as `verifyPerson` describes it. */
export type AnsweredRequest = { body: Body; answer: string }

/** The outcome of a fault. */
export type Outcome = {
  people: number
  /** The number of responses during the fault, by answer. */
  answers: Map<string, number>
  /** The time from the end of the fault to the next successful verification. */
  recoveryMs: number
  lost: number
  countedTwice: number
}

const Refusal = z.object({ code: z.string() })

export type TestedUrls = { baseUrl: string; databaseUrl: string }

/** The addresses of the sign-in server and of a website that uses it. */
type SignInUrls = { authUrl: string; demoUrl: string }

let lastPerson = 10_000n
let forger: Promise<Forger> | undefined

/** Creates the request of a new person, with a valid proof for this root. */
export async function createPersonRequest(root: bigint): Promise<Body> {
  forger ??= developmentKey().then(createForger)
  lastPerson += 1n
  const person = { appId: APP, action: 'vote', root, nullifierHash: lastPerson }
  return (await forger).request(person)
}

/**
 * Verifies many people, causes a fault after a quarter of them, and then counts the rows.
 *
 * @param causeFault resolves when the fault is over
 */
export async function verifyUnderFault(
  { baseUrl, databaseUrl }: TestedUrls,
  { root, size = 400 }: { root: bigint; size?: number },
  causeFault: () => Promise<void>,
): Promise<Outcome> {
  const bodies = await Promise.all(Array.from({ length: size }, () => createPersonRequest(root)))
  const queue = bodies.values()
  const answeredRequests: AnsweredRequest[] = []
  let fault: Promise<void> | undefined
  const sendQueuedRequests = async () => {
    for (const body of queue) {
      answeredRequests.push({ body, answer: await verifyPerson(baseUrl, body) })
      if (answeredRequests.length > size / 4 && !fault) {
        fault = causeFault()
        // An error is thrown below, after all requests are answered.
        fault.catch(() => {})
      }
      // Without this wait, all requests would fail before the fault is over.
      if (answeredRequests.at(-1)?.answer !== '200') await sleep(50)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendQueuedRequests))
  await fault
  const endTime = performance.now()
  await waitUntilRecovered(baseUrl, root)
  const recoveryMs = performance.now() - endTime
  return {
    people: size,
    answers: tallyAnswers(answeredRequests.map(({ answer }) => answer)),
    recoveryMs,
    ...(await countAfterwards({ baseUrl, databaseUrl }, answeredRequests)),
  }
}

/**
 * Sends every request again, and counts the rows.
 *
 * @returns `lost`: the people without a row, and the successes that the second response does not confirm. `countedTwice`: the
 * people counted more than once.
 */
export async function countAfterwards(
  { baseUrl, databaseUrl }: TestedUrls,
  answeredRequests: readonly AnsweredRequest[],
) {
  const secondAnswers = await Promise.all(
    answeredRequests.map(
      async (request) => [request, await verifyWithRetries(baseUrl, request.body)] as const,
    ),
  )
  const bodies = answeredRequests.map(({ body }) => body)
  const { lost, countedTwice } = await countRows(databaseUrl, bodies)
  const uncounted = secondAnswers.filter(
    ([{ answer }, now]) => answer === '200' && now !== 'max_verifications_reached',
  )
  return { lost: lost + uncounted.length, countedTwice }
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/**
 * Sends a person's request.
 *
 * @returns `200`, the error code, `503` and the error code, or the status of an error without a code; `broken` if the connection
 *   ended, or was silent for 30 seconds, before the response
 */
export function verifyPerson(baseUrl: string, body: Body): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const clientRequest = request(
      {
        agent,
        hostname,
        port,
        method: 'POST',
        path: `/api/v2/verify/${APP}`,
        headers: { 'content-type': 'application/json' },
        timeout: TIMEOUT_MS,
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.once('error', () => resolve('broken'))
        response.once('end', () => resolve(describeAnswer(response.statusCode, text)))
      },
    )
    clientRequest
      .once('timeout', () => clientRequest.destroy())
      .once('error', () => resolve('broken'))
    clientRequest.end(JSON.stringify(body))
  })
}

/** Sends a person's request, with retries after `503 unavailable` and broken connections. */
async function verifyWithRetries(baseUrl: string, body: Body): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    const answer = await verifyPerson(baseUrl, body)
    const isFinal = answer !== '503 unavailable' && answer !== 'broken'
    if (isFinal || Date.now() > deadline) return answer
    await sleep(200)
  }
}

/**
 * Begins a sign-in, as a website does. The sign-in server must store it and redirect to its login page.
 *
 * @returns `200` for the redirect; `503 unavailable` if the page or the website may retry; `broken`; or the unexpected response
 */
export async function beginSignIn({ authUrl, demoUrl }: SignInUrls): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: APP,
    redirect_uri: `${demoUrl}/callback`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  try {
    const response = await fetch(`${authUrl}/authorize?${query}`, { redirect: 'manual' })
    await response.body?.cancel()
    const page = response.headers.get('location') ?? ''
    if (response.status === 303 && page.includes('/login/')) return '200'
    const canRetry = response.status === 503 || page.includes('error=temporarily_unavailable')
    return canRetry ? '503 unavailable' : `${response.status} ${page}`.trim()
  } catch {
    return 'broken'
  }
}

function describeAnswer(status: number | undefined, text: string): string {
  if (status === 200) return '200'
  try {
    const { code } = Refusal.parse(JSON.parse(text))
    return status === 503 ? `503 ${code}` : String(code)
  } catch {
    return `${status} without a code`
  }
}

export async function waitUntilRecovered(baseUrl: string, root: bigint): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  while ((await verifyPerson(baseUrl, await createPersonRequest(root))) !== '200') {
    if (Date.now() > deadline)
      throw new Error(`No verification succeeded within ${TIMEOUT_MS / 1_000} s.`)
    await sleep(20)
  }
}

/** Counts the people without a row, and the people counted more than once. */
async function countRows(databaseUrl: string, bodies: readonly Body[]) {
  const client = new Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<{ people: number; twice: number }>(
    `select count(*)::int as people, count(*) filter (where uses > 1)::int as twice
     from nullifier where nullifier_hash = any ($1)`,
    [bodies.map(({ nullifier_hash }) => nullifier_hash)],
  )
  await client.end()
  const { people, twice } = requireValue(rows[0], 'the counts')
  return { lost: bodies.length - people, countedTwice: twice }
}

export function tallyAnswers(answers: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(answers, (answer) => answer)
  return new Map([...groups].map(([answer, all]) => [answer, all.length]))
}
