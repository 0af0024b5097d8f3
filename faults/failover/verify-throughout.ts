import { setTimeout as sleep } from 'node:timers/promises'
import type { Facts } from '../../platform/facts.ts'
import { APP, countAfterwards, newPerson, type Told, verifyPerson } from '../crowd.ts'
import { type Disturbance, longestPause } from './disturbance.ts'

/** Callers that verify one person after the other. */
const CALLERS = 6
const BETWEEN_PEOPLE_MS = 60
const AFTER_REFUSAL_MS = 150
const BETWEEN_SIGN_INS_MS = 150
/** So many must be verified before the fault, and after it. */
const QUIET_PEOPLE = 40
const GIVE_UP_MS = 60_000

/** An answer, and when it was there, in milliseconds. */
type Timed = { answer: string; at: number }

/**
 * People verify, and begin to sign in, without end, while something is broken and mended. Then everybody tries again,
 * and the rows are counted.
 *
 * @param strike causes the fault; resolves when everything is whole again
 */
export async function verifyThroughout(
  { facts, root }: { facts: Facts; root: bigint },
  strike: () => Promise<void>,
): Promise<Disturbance> {
  const over = new AbortController()
  const told: (Told & Timed)[] = []
  const signIns: Timed[] = []
  const verifying = Array.from({ length: CALLERS }, async () => {
    while (!over.signal.aborted) {
      const body = await newPerson(root)
      const answer = await verifyPerson(facts.baseUrl, body)
      told.push({ body, answer, at: performance.now() })
      await sleep(answer === '200' ? BETWEEN_PEOPLE_MS : AFTER_REFUSAL_MS)
    }
  })
  const signingIn = async () => {
    while (!over.signal.aborted) {
      signIns.push({ answer: await openSignInPage(facts), at: performance.now() })
      await sleep(BETWEEN_SIGN_INS_MS)
    }
  }
  const load = Promise.all([...verifying, signingIn()])
  try {
    await waitForMore(told)
    const since = performance.now()
    await strike()
    await waitForMore(told)
    over.abort()
    await load
    return {
      people: told.length,
      answers: [...told, ...signIns].map(({ answer }) => answer),
      pauseMs: longestPause(told, { success: '200', since }),
      signInPauseMs: longestPause(signIns, { success: SIGN_IN_BEGUN, since }),
      ...(await countAfterwards(facts, told)),
    }
  } finally {
    over.abort()
  }
}

/** What somebody is told who is led on to the page that asks for a proof. */
const SIGN_IN_BEGUN = '303'

/** Lets a website send somebody to the sign-in server, which stores that. @returns the status, or `broken` */
async function openSignInPage({ authUrl, demoUrl }: Facts): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: APP,
    redirect_uri: `${demoUrl}/callback`,
    scope: 'openid',
    state: 'state',
    nonce: 'nonce',
  })
  try {
    const answer = await fetch(`${authUrl}/authorize?${query}`, { redirect: 'manual' })
    await answer.arrayBuffer()
    return answer.status === 503 ? '503 unavailable' : String(answer.status)
  } catch {
    return 'broken'
  }
}

async function waitForMore(told: readonly Timed[]): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS
  const before = told.length
  while (told.slice(before).filter(({ answer }) => answer === '200').length < QUIET_PEOPLE) {
    if (Date.now() > deadline)
      throw new Error(`nobody is verified: ${told.at(-1)?.answer ?? 'no answer'}`)
    await sleep(50)
  }
}
