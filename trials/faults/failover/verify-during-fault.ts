import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Facts } from '../../../packages/platform/facts.ts'
import {
  type AnsweredRequest,
  beginSignIn,
  countAfterwards,
  createPersonRequest,
  verifyPerson,
} from '../verify-people.ts'
import { type Disturbance, findLongestPause } from './disturbance.ts'
import { createAction, findDelivered } from './event-delivery.ts'

/** The number of concurrent callers; each verifies one person after the other. */
const CALLERS = 6
const BETWEEN_PEOPLE_MS = 60
const AFTER_REFUSAL_MS = 150
const BETWEEN_SIGN_INS_MS = 150
const BETWEEN_ACTIONS_MS = 500
/** The successes required before and after the fault: verifications, begun sign-ins and delivered events. */
const QUIET_PEOPLE = 40
const QUIET_SIGN_INS = 5
const QUIET_EVENTS = 3
const TIMEOUT_MS = 60_000

/** An answer and its time in ms. */
type TimedAnswer = { answer: string; at: number }

/**
 * Verifies people, begins sign-ins and creates actions (each an event) while a fault is caused and repaired. Then sends every
 * verification again, and counts the rows.
 *
 * @param causeFault causes the fault; resolves when all machines are healthy again
 */
export async function verifyDuringFault(
  { facts, root }: { facts: Facts; root: bigint },
  causeFault: () => Promise<void>,
): Promise<Disturbance> {
  const abortController = new AbortController()
  const load = startLoad(facts, root, abortController.signal)
  const { verifications, signIns, actions, events } = load
  const waitForAll = () =>
    Promise.all([
      waitForMore(verifications, QUIET_PEOPLE),
      waitForMore(signIns, QUIET_SIGN_INS),
      waitForMore(events, QUIET_EVENTS),
    ])
  // Before the abort, `load.end` settles only if a request throws.
  const waitForQuiet = () => Promise.race([waitForAll(), load.end])
  try {
    await waitForQuiet()
    const since = performance.now()
    await causeFault()
    await waitForQuiet()
    abortController.abort()
    await load.end
    return {
      people: verifications.length,
      answers: [...verifications, ...signIns, ...actions].map(({ answer }) => answer),
      pauseMs: findLongestPause(verifications, since),
      signInPauseMs: findLongestPause(signIns, since),
      eventPauseMs: findLongestPause(events, since),
      actions: actions.flatMap(({ id }) => id ?? []),
      ...(await countAfterwards(facts, verifications)),
    }
  } finally {
    abortController.abort()
  }
}

type Load = {
  verifications: (AnsweredRequest & TimedAnswer)[]
  signIns: TimedAnswer[]
  actions: (TimedAnswer & { id?: string })[]
  /** The times at which delivered events were first seen. */
  events: TimedAnswer[]
  /** Resolves after the abort, when all requests are answered. */
  end: Promise<unknown>
}

function startLoad(facts: Facts, root: bigint, signal: AbortSignal): Load {
  const verifications: Load['verifications'] = []
  const signIns: TimedAnswer[] = []
  const actions: Load['actions'] = []
  const events: TimedAnswer[] = []
  const verifyOne = async () => {
    const body = await createPersonRequest(root)
    const answer = await verifyPerson(facts.baseUrl, body)
    verifications.push({ body, answer, at: performance.now() })
    await sleep(answer === '200' ? BETWEEN_PEOPLE_MS : AFTER_REFUSAL_MS)
  }
  const beginOneSignIn = async () => {
    signIns.push({ answer: await beginSignIn(facts), at: performance.now() })
    await sleep(BETWEEN_SIGN_INS_MS)
  }
  const undelivered = new Set<string>()
  const createOneAction = async () => {
    const { id, answer } = await createAction(facts, `event-${randomUUID()}`)
    actions.push({ answer, at: performance.now(), ...(id && { id }) })
    if (id) undelivered.add(id)
    await sleep(BETWEEN_ACTIONS_MS)
    for (const delivered of await findDelivered(facts, [...undelivered])) {
      undelivered.delete(delivered)
      events.push({ answer: '200', at: performance.now() })
    }
  }
  const steps = [
    ...Array.from({ length: CALLERS }, () => verifyOne),
    beginOneSignIn,
    createOneAction,
  ]
  const repeatUntilAborted = async (step: () => Promise<void>) => {
    while (!signal.aborted) await step()
  }
  return {
    verifications,
    signIns,
    actions,
    events,
    end: Promise.all(steps.map(repeatUntilAborted)),
  }
}

/** Waits for `count` more successes. */
async function waitForMore(answers: readonly TimedAnswer[], count: number): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS
  const before = answers.length
  while (answers.slice(before).filter(({ answer }) => answer === '200').length < count) {
    if (Date.now() > deadline)
      throw new Error(
        `fewer than ${count} successes in ${TIMEOUT_MS / 1_000} s; last answer: ${answers.at(-1)?.answer ?? 'no answer'}`,
      )
    await sleep(50)
  }
}
