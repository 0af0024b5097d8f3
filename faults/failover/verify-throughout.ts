import { setTimeout as sleep } from 'node:timers/promises'
import type { Facts } from '../../platform/facts.ts'
import { beginSignIn, countAfterwards, newPerson, type Told, verifyPerson } from '../crowd.ts'
import { type Disturbance, longestPause } from './disturbance.ts'

/** Callers that verify one person after the other. */
const CALLERS = 6
const BETWEEN_PEOPLE_MS = 60
const AFTER_REFUSAL_MS = 150
const BETWEEN_SIGN_INS_MS = 150
/** So many must be verified before the fault and after it, and so many led on to sign in. */
const QUIET_PEOPLE = 40
const QUIET_SIGN_INS = 5
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
      signIns.push({ answer: await beginSignIn(facts), at: performance.now() })
      await sleep(BETWEEN_SIGN_INS_MS)
    }
  }
  const load = Promise.all([...verifying, signingIn()])
  const waitForAll = () =>
    Promise.all([waitForMore(told, QUIET_PEOPLE), waitForMore(signIns, QUIET_SIGN_INS)])
  try {
    await waitForAll()
    const since = performance.now()
    await strike()
    await waitForAll()
    over.abort()
    await load
    return {
      people: told.length,
      answers: [...told, ...signIns].map(({ answer }) => answer),
      pauseMs: longestPause(told, since),
      signInPauseMs: longestPause(signIns, since),
      ...(await countAfterwards(facts, told)),
    }
  } finally {
    over.abort()
  }
}

/** Waits until so many more have succeeded. */
async function waitForMore(answers: readonly Timed[], count: number): Promise<void> {
  const deadline = Date.now() + GIVE_UP_MS
  const before = answers.length
  while (answers.slice(before).filter(({ answer }) => answer === '200').length < count) {
    if (Date.now() > deadline)
      throw new Error(`nobody succeeds any more: ${answers.at(-1)?.answer ?? 'no answer'}`)
    await sleep(50)
  }
}
