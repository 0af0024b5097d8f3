import type { WebSocket } from 'ws'
import type { Target, TrafficSource } from './attack-target.ts'
import { openSocket, requestRepeatedly, waitForAbort } from './graphql-load.ts'

/** Documents that cost mostly CPU time of the engine. If it did not work in slices, they would block its event loop. */
export const loopBlockers: Readonly<Record<string, TrafficSource>> = {
  'introspection with 50 aliases': (target, signal) =>
    requestRepeatedly(target, { concurrency: 8, signal, document: createIntrospection }),
  'introspection of the whole schema': (target, signal) =>
    requestRepeatedly(target, { concurrency: 8, signal, document: createFullIntrospection }),
  'introspection on 10 sockets': (target, signal) =>
    runOnSockets(target, { signal, document: createIntrospection }),
  'rejected documents of 240 aliases on 10 sockets': (target, signal) =>
    runOnSockets(target, { signal, document: createRejectedDocument }),
  'rejected inserts of 3,000 rows': (target, signal) =>
    requestRepeatedly(target, {
      concurrency: 8,
      signal,
      document: () =>
        `mutation m${nextNumber()}($rows: [action_insert_input!]!){insert_action(objects: $rows){affected_rows}}`,
      variables: createRowsOfUnknownApp,
    }),
  'responses of 2 MB': (target, signal) =>
    requestRepeatedly(target, { concurrency: 8, signal, document: () => LARGE_RESPONSE_QUERY }),
}

let lastNumber = 0

function nextNumber(): number {
  lastNumber += 1
  return lastNumber
}

/** Creates aliases that no earlier document had, so that no cache helps. */
function createAliases(count: number, field: string): string {
  const names = Array.from({ length: count }, () => `a${nextNumber()}:${field}`)
  return names.join(' ')
}

function createIntrospection(): string {
  return `{${createAliases(50, '__schema{types{name fields{name type{name}}}}')}}`
}

function createFullIntrospection(): string {
  return `{${createAliases(1, `__schema{types{kind name description inputFields{${VALUE}} enumValues{name} fields{name description args{${VALUE}} type{${TYPE}}}}}`)}}`
}

const TYPE = 'kind name ofType{kind name ofType{kind name ofType{kind name}}}'
const VALUE = `name description defaultValue type{${TYPE}}`

function createRejectedDocument(): string {
  return `{${createAliases(240, 'app{id}')} nothing}`
}

function createRowsOfUnknownApp() {
  const rows = Array.from({ length: 3_000 }, (_, i) => ({
    app_id: 'none',
    action: `x${i}`,
    name: 'x',
  }))
  return { rows }
}

const LARGE_RESPONSE_QUERY = `{${Array.from({ length: 60 }, (_, i) => `a${i}:action{id action name description status app{id name actions(limit:5){id name}}}`).join(' ')}}`

type Operations = { signal: AbortSignal; document(): string }

/** Keeps 15 operations under way on each of ten sockets. */
async function runOnSockets(target: Target, operations: Operations): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(target)))
  for (const socket of sockets) keepOperationsRunning(socket, operations)
  await waitForAbort(operations.signal)
  for (const socket of sockets) socket.terminate()
}

function keepOperationsRunning(socket: WebSocket, { document }: Operations): void {
  const send = () => {
    if (socket.readyState !== socket.OPEN) return
    const payload = { query: document() }
    socket.send(JSON.stringify({ id: `i${nextNumber()}`, type: 'subscribe', payload }))
  }
  socket.on('message', (message) => {
    const text = String(message)
    if (text.includes('"complete"')) send()
    if (text.includes('"error"')) setTimeout(send, RETRY_AFTER_ERROR_MS)
  })
  for (let i = 0; i < 15; i++) send()
}

/** The wait after an error. Without this wait, quick errors would make the load a flood of requests. */
const RETRY_AFTER_ERROR_MS = 100
