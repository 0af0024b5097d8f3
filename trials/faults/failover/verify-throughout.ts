import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Facts } from '../../../packages/platform/facts.ts'
import { beginSignIn, countAfterwards, newPerson, type Told, verifyPerson } from '../crowd.ts'
import { type Disturbance, longestPause } from './disturbance.ts'
import { findDelivered, makeAction } from './event-delivery.ts'

/** Callers that verify one person after the other. */
const CALLERS = 6
const BETWEEN_PEOPLE_MS = 60
const AFTER_REFUSAL_MS = 150
const BETWEEN_SIGN_INS_MS = 150
const BETWEEN_ACTIONS_MS = 500
/** So many must be verified before the fault and after it, so many led on to sign in, and so many events delivered. */
const QUIET_PEOPLE = 40
const QUIET_SIGN_INS = 5
const QUIET_EVENTS = 3
const GIVE_UP_MS = 60_000

/** An answer, and when it was there, in milliseconds. */
type Timed = { answer: string; at: number }

/**
 * People verify, and begin to sign in, and a team makes actions, each of which is an event, without end, while something is
 * broken and mended. Then everybody tries again, and the rows are counted.
 *
 * @param strike causes the fault; resolves when everything is whole again
 */
export async function verifyThroughout(
  { facts, root }: { facts: Facts; root: bigint },
  strike: () => Promise<void>,
): Promise<Disturbance> {
  const over = new AbortController()
  const load = startLoad(facts, root, over.signal)
  const { told, signIns, changes, events } = load
  const waitForAll = () =>
    Promise.all([
      waitForMore(told, QUIET_PEOPLE),
      waitForMore(signIns, QUIET_SIGN_INS),
      waitForMore(events, QUIET_EVENTS),
    ])
  // It ends early only by failing.
  const waitForQuiet = () => Promise.race([waitForAll(), load.ended])
  try {
    await waitForQuiet()
    const since = performance.now()
    await strike()
    await waitForQuiet()
    over.abort()
    await load.ended
    return {
      people: told.length,
      answers: [...told, ...signIns, ...changes].map(({ answer }) => answer),
      pauseMs: longestPause(told, since),
      signInPauseMs: longestPause(signIns, since),
      eventPauseMs: longestPause(events, since),
      actions: changes.flatMap(({ id }) => id ?? []),
      ...(await countAfterwards(facts, told)),
    }
  } finally {
    over.abort()
  }
}

type Load = {
  told: (Told & Timed)[]
  signIns: Timed[]
  changes: (Timed & { id?: string })[]
  /** When it was first seen that an event was delivered. */
  events: Timed[]
  /** Once the signal was aborted, and all have their answers. */
  ended: Promise<unknown>
}

function startLoad(facts: Facts, root: bigint, over: AbortSignal): Load {
  const told: Load['told'] = []
  const signIns: Timed[] = []
  const changes: Load['changes'] = []
  const events: Timed[] = []
  const verifying = async () => {
    const body = await newPerson(root)
    const answer = await verifyPerson(facts.baseUrl, body)
    told.push({ body, answer, at: performance.now() })
    await sleep(answer === '200' ? BETWEEN_PEOPLE_MS : AFTER_REFUSAL_MS)
  }
  const signingIn = async () => {
    signIns.push({ answer: await beginSignIn(facts), at: performance.now() })
    await sleep(BETWEEN_SIGN_INS_MS)
  }
  const undelivered = new Set<string>()
  const makingActions = async () => {
    const { id, answer } = await makeAction(facts, `event-${randomUUID()}`)
    changes.push({ answer, at: performance.now(), ...(id && { id }) })
    if (id) undelivered.add(id)
    await sleep(BETWEEN_ACTIONS_MS)
    for (const delivered of await findDelivered(facts, [...undelivered])) {
      undelivered.delete(delivered)
      events.push({ answer: '200', at: performance.now() })
    }
  }
  const steps = [...Array.from({ length: CALLERS }, () => verifying), signingIn, makingActions]
  const untilOver = async (step: () => Promise<void>) => {
    while (!over.aborted) await step()
  }
  return { told, signIns, changes, events, ended: Promise.all(steps.map(untilOver)) }
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
