import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { present } from '../../lib/runtime/present.ts'
import { developmentKey } from '../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../local/simulator/forge.ts'

/** The app of the demo team, in which people verify. */
export const APP = 'app_staging_00000000000000000000000000000001'

/** The Merkle root under which everybody here proves. */
export const CROWD_ROOT = 0x5ca1ab1en

const CONNECTIONS = 16
const GIVE_UP_MS = 30_000

type Body = { nullifier_hash: string }

/** A person's request and its answer; `broken` when the connection ended without one. */
export type Told = { body: Body; answer: string }

/** The outcome of a fault. */
export type Outcome = {
  people: number
  /** How often each answer was given while the fault was there. */
  answers: Map<string, number>
  /** From the end of the fault to the first person who is verified again. */
  recoveryMs: number
  lost: number
  countedTwice: number
}

const Refusal = z.object({ code: z.string() })

export type Places = { baseUrl: string; databaseUrl: string }

/** The sign-in server, and a website that people sign in to. */
type Websites = { authUrl: string; demoUrl: string }

let people = 10_000n
let forging: Promise<Forger> | undefined

/** Makes the request of a new person, whose proof is valid under this root. */
export async function newPerson(root: bigint): Promise<Body> {
  forging ??= developmentKey().then(createForger)
  people += 1n
  const person = { appId: APP, action: 'vote', root, nullifierHash: people }
  return (await forging).request(person)
}

/**
 * Verifies a crowd, strikes when a quarter of it is done, and counts afterwards.
 *
 * @param strike causes the fault; resolves when it is over
 */
export async function verifyUnderFault(
  { baseUrl, databaseUrl }: Places,
  { root, size = 400 }: { root: bigint; size?: number },
  strike: () => Promise<void>,
): Promise<Outcome> {
  const bodies = await Promise.all(Array.from({ length: size }, () => newPerson(root)))
  const queue = bodies.values()
  const told: Told[] = []
  let struck: Promise<void> | undefined
  const work = async () => {
    for (const body of queue) {
      told.push({ body, answer: await verifyPerson(baseUrl, body) })
      if (told.length > size / 4 && !struck) {
        struck = strike()
        // Examined below, when everybody has an answer.
        struck.catch(() => {})
      }
      // Those who are refused wait a moment, or all would be refused before the fault is over.
      if (told.at(-1)?.answer !== '200') await sleep(50)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  await struck
  const over = performance.now()
  await waitUntilRecovered(baseUrl, root)
  const recoveryMs = performance.now() - over
  return {
    people: size,
    answers: tallyAnswers(told.map(({ answer }) => answer)),
    recoveryMs,
    ...(await countAfterwards({ baseUrl, databaseUrl }, told)),
  }
}

/**
 * Lets everybody try again, and counts the rows.
 *
 * @returns how many are not there although they were told so, or have tried twice; and how many are there more than once
 */
export async function countAfterwards({ baseUrl, databaseUrl }: Places, told: readonly Told[]) {
  const again = await Promise.all(
    told.map(async (one) => [one, await verifyUntilTold(baseUrl, one.body)] as const),
  )
  const bodies = told.map(({ body }) => body)
  const { lost, countedTwice } = await countRows(databaseUrl, bodies)
  const forgotten = again.filter(
    ([{ answer }, now]) => answer === '200' && now !== 'max_verifications_reached',
  )
  return { lost: lost + forgotten.length, countedTwice }
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends a person's request. @returns `200`, the code of the error, `503` and the code, or `broken` */
export function verifyPerson(baseUrl: string, body: Body): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const call = request(
      {
        agent,
        hostname,
        port,
        method: 'POST',
        path: `/api/v2/verify/${APP}`,
        headers: { 'content-type': 'application/json' },
        timeout: GIVE_UP_MS,
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
    call.once('timeout', () => call.destroy()).once('error', () => resolve('broken'))
    call.end(JSON.stringify(body))
  })
}

/** Sends a person's request until it is answered, as callers should who are told to try again. */
async function verifyUntilTold(baseUrl: string, body: Body): Promise<string> {
  const deadline = Date.now() + GIVE_UP_MS
  for (;;) {
    const answer = await verifyPerson(baseUrl, body)
    const isTold = answer !== '503 unavailable' && answer !== 'broken'
    if (isTold || Date.now() > deadline) return answer
    await sleep(200)
  }
}

/**
 * Lets a website send somebody to the sign-in server, which keeps that and leads on to its page.
 *
 * @returns `200` when it did, `503 unavailable` when they shall try again, also where the website is told so; `broken`, or what
 *   else was answered
 */
export async function beginSignIn({ authUrl, demoUrl }: Websites): Promise<string> {
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
    const mayTryAgain = response.status === 503 || page.includes('error=temporarily_unavailable')
    return mayTryAgain ? '503 unavailable' : `${response.status} ${page}`.trim()
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
  const deadline = Date.now() + GIVE_UP_MS
  while ((await verifyPerson(baseUrl, await newPerson(root))) !== '200') {
    if (Date.now() > deadline) throw new Error('It did not recover.')
    await sleep(20)
  }
}

/** After everybody has tried again, each person must be there once. */
async function countRows(databaseUrl: string, bodies: readonly Body[]) {
  const client = new Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<{ people: number; twice: number }>(
    `select count(*)::int as people, count(*) filter (where uses > 1)::int as twice
     from nullifier where nullifier_hash = any ($1)`,
    [bodies.map(({ nullifier_hash }) => nullifier_hash)],
  )
  await client.end()
  const { people, twice } = present(rows[0], 'the counts')
  return { lost: bodies.length - people, countedTwice: twice }
}

export function tallyAnswers(answers: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(answers, (answer) => answer)
  return new Map([...groups].map(([answer, all]) => [answer, all.length]))
}
