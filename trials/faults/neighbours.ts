import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import type { Use } from './attacker.ts'
import { floods } from './floods.ts'
import { aborted, openSocket, requestRepeatedly } from './graphql-load.ts'
import { loopBlockers } from './loop-blockers.ts'

/** Who uses the API a lot, as it is meant to be used. */
export const HONEST = 'an honest neighbour'

/** What neighbours of a team do: an honest one, and attackers. */
export const neighbours: Readonly<Record<string, Use>> = {
  [HONEST]: (target, signal) =>
    requestRepeatedly(target, { at: 32, signal, document: () => USUAL_QUERY }),
  '64 recursive queries at once': (target, signal) =>
    requestRepeatedly(target, { at: 64, signal, document: () => `{action{${recursion(19)}}}` }),
  '64 recursive queries of few rows each': (target, signal) =>
    requestRepeatedly(target, {
      at: 64,
      signal,
      document: () => `{action{${recursion(13, '(limit:50)')}}}`,
    }),
  '32 documents of 30 aliases': (target, signal) =>
    requestRepeatedly(target, { at: 32, signal, document: thirtyAliases }),
  '1 MB documents of a new account': (target, signal) =>
    requestRepeatedly(
      { ...target, apiKey: target.newAccount },
      { at: 8, signal, document: largeDocument },
    ),
  '40 nested conditions in variables': (target, signal) =>
    requestRepeatedly(target, { at: 16, signal, document: CONDITION, variables: nestedConditions }),
  '200 differing subscriptions on a socket': async (target, signal) => {
    const socket = await openSocket(target)
    for (let n = 1; n <= 200; n++) subscribe(socket, n, `{action(limit:${n}){${APP_OF_ACTION}}}`)
    await aborted(signal)
    socket.terminate()
  },
  '1,000 subscriptions of a vanished socket': async (target, signal) => {
    const socket = await openSocket(target)
    for (let n = 0; n < 1_000; n++)
      subscribe(socket, n, `{a${n}:action(limit:3){${recursion(11)}}}`)
    await Promise.race([sleep(VANISHES_AFTER_MS), aborted(signal)])
    socket.terminate()
    await aborted(signal)
  },
  ...floods,
  ...loopBlockers,
}

const USUAL_QUERY =
  '{ app(limit: 10) { id name actions(limit: 10) { id name status max_verifications } } }'

const VANISHES_AFTER_MS = 3_000

/** An action's app, its actions, their app, and so on: every other level multiplies the rows. */
function recursion(levels: number, limit = ''): string {
  let selection = 'id'
  for (let level = levels; level > 0; level--)
    selection = `${level % 2 === 1 ? 'app' : `actions${limit}`}{id ${selection}}`
  return selection
}

const APP_OF_ACTION = 'id app{id actions{id app{id name}}}'

let documents = 0

function thirtyAliases(): string {
  documents += 1
  const aliases = Array.from(
    { length: 30 },
    (_, i) => `a${i}_${documents}:action{id app{id actions{id app{id actions{id}}}}}`,
  )
  return `{${aliases.join(' ')}}`
}

function largeDocument(): string {
  documents += 1
  return `{user(where:{id:{_in:[${`${documents % 10} `.repeat(490_000)}]}}){id}}`
}

const CONDITION = () => 'query($where: action_bool_exp!){action(where:$where){id}}'

function nestedConditions() {
  documents += 1
  let where: object = { name: { _eq: `n${documents}` } }
  for (let level = 0; level < 20; level++) where = { app: { actions: where } }
  return { where }
}

function subscribe(socket: WebSocket, id: number, selection: string) {
  const payload = { query: `subscription ${selection}` }
  socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload }))
}
