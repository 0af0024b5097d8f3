import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { TrafficSource } from './attack-target.ts'
import { floods } from './floods.ts'
import { openSocket, requestRepeatedly, waitForAbort } from './graphql-load.ts'
import { loopBlockers } from './loop-blockers.ts'

/** A team that sends many ordinary requests. */
export const BUSY_NEIGHBOUR = 'a busy neighbour'

/** The loads that another team causes: one with ordinary requests, and the attacks. */
export const neighbours: Readonly<Record<string, TrafficSource>> = {
  [BUSY_NEIGHBOUR]: (target, signal) =>
    requestRepeatedly(target, { concurrency: 32, signal, document: () => USUAL_QUERY }),
  '64 recursive queries at once': (target, signal) =>
    requestRepeatedly(target, {
      concurrency: 64,
      signal,
      document: () => `{action{${createRecursion(19)}}}`,
    }),
  '64 recursive queries of few rows each': (target, signal) =>
    requestRepeatedly(target, {
      concurrency: 64,
      signal,
      document: () => `{action{${createRecursion(13, '(limit:50)')}}}`,
    }),
  '32 documents of 30 aliases': (target, signal) =>
    requestRepeatedly(target, { concurrency: 32, signal, document: createAliasDocument }),
  '1 MB documents from a new account': (target, signal) =>
    requestRepeatedly(
      { ...target, apiKey: target.newAccount },
      { concurrency: 8, signal, document: createLargeDocument },
    ),
  '40 nested conditions in variables': (target, signal) =>
    requestRepeatedly(target, {
      concurrency: 16,
      signal,
      document: createConditionDocument,
      variables: createNestedConditions,
    }),
  '200 different subscriptions on one socket': async (target, signal) => {
    const socket = await openSocket(target)
    for (let n = 1; n <= 200; n++) subscribe(socket, n, `{action(limit:${n}){${APP_OF_ACTION}}}`)
    await waitForAbort(signal)
    socket.terminate()
  },
  '1,000 subscriptions on a socket that then closes': async (target, signal) => {
    const socket = await openSocket(target)
    for (let n = 0; n < 1_000; n++)
      subscribe(socket, n, `{a${n}:action(limit:3){${createRecursion(11)}}}`)
    await Promise.race([sleep(CLOSES_AFTER_MS), waitForAbort(signal)])
    socket.terminate()
    await waitForAbort(signal)
  },
  ...floods,
  ...loopBlockers,
}

const USUAL_QUERY =
  '{ app(limit: 10) { id name actions(limit: 10) { id name status max_verifications } } }'

const CLOSES_AFTER_MS = 3_000

/** Creates a selection of an action's app, its actions, their app, and so on. Every other level multiplies the rows. */
function createRecursion(levels: number, limit = ''): string {
  let selection = 'id'
  for (let level = levels; level > 0; level--)
    selection = `${level % 2 === 1 ? 'app' : `actions${limit}`}{id ${selection}}`
  return selection
}

const APP_OF_ACTION = 'id app{id actions{id app{id name}}}'

let documentCount = 0

function createAliasDocument(): string {
  documentCount += 1
  const aliases = Array.from(
    { length: 30 },
    (_, i) => `a${i}_${documentCount}:action{id app{id actions{id app{id actions{id}}}}}`,
  )
  return `{${aliases.join(' ')}}`
}

function createLargeDocument(): string {
  documentCount += 1
  return `{user(where:{id:{_in:[${`${documentCount % 10} `.repeat(490_000)}]}}){id}}`
}

const createConditionDocument = () => 'query($where: action_bool_exp!){action(where:$where){id}}'

function createNestedConditions() {
  documentCount += 1
  let where: object = { name: { _eq: `n${documentCount}` } }
  for (let level = 0; level < 20; level++) where = { app: { actions: where } }
  return { where }
}

function subscribe(socket: WebSocket, id: number, selection: string) {
  const payload = { query: `subscription ${selection}` }
  socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }))
}
