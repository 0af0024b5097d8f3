import type { WebSocket } from 'ws'
import type { Target, Use } from './attacker.ts'
import { aborted, openSocket, requestRepeatedly } from './graphql-load.ts'

/** Documents that the engine only computes for: without slices they keep its event loop from every other caller. */
export const loopBlockers: Readonly<Record<string, Use>> = {
  'introspection with 50 aliases': (target, signal) =>
    requestRepeatedly(target, { at: 8, signal, document: introspectionAliases }),
  'introspection of the whole schema': (target, signal) =>
    requestRepeatedly(target, { at: 8, signal, document: wholeSchema }),
  'introspection on 10 sockets': (target, signal) =>
    operateSockets(target, { signal, document: introspectionAliases }),
  'refused documents of 240 aliases on 10 sockets': (target, signal) =>
    operateSockets(target, { signal, document: unknownField }),
  'refused inserts of 3,000 rows': (target, signal) =>
    requestRepeatedly(target, {
      at: 8,
      signal,
      document: () =>
        `mutation m${nextNumber()}($rows: [action_insert_input!]!){insert_action(objects: $rows){affected_rows}}`,
      variables: rowsOfNoApp,
    }),
  'answers of 2 MB': (target, signal) =>
    requestRepeatedly(target, { at: 8, signal, document: () => LARGE_ANSWER }),
}

let numbers = 0

function nextNumber(): number {
  numbers += 1
  return numbers
}

/** Aliases that no document had before, so that no cache knows them. */
function aliases(count: number, field: string): string {
  const names = Array.from({ length: count }, () => `a${nextNumber()}:${field}`)
  return names.join(' ')
}

function introspectionAliases(): string {
  return `{${aliases(50, '__schema{types{name fields{name type{name}}}}')}}`
}

function wholeSchema(): string {
  return `{${aliases(1, `__schema{types{kind name description inputFields{${VALUE}} enumValues{name} fields{name description args{${VALUE}} type{${TYPE}}}}}`)}}`
}

const TYPE = 'kind name ofType{kind name ofType{kind name ofType{kind name}}}'
const VALUE = `name description defaultValue type{${TYPE}}`

function unknownField(): string {
  return `{${aliases(240, 'app{id}')} nothing}`
}

function rowsOfNoApp() {
  const rows = Array.from({ length: 3_000 }, (_, i) => ({
    app_id: 'none',
    action: `x${i}`,
    name: 'x',
  }))
  return { rows }
}

const LARGE_ANSWER = `{${Array.from({ length: 60 }, (_, i) => `a${i}:action{id action name description status app{id name actions(limit:5){id name}}}`).join(' ')}}`

type Operations = { signal: AbortSignal; document(): string }

/** Keeps 15 operations under way on each of ten sockets. */
async function operateSockets(target: Target, operations: Operations): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(target)))
  for (const socket of sockets) operate(socket, operations)
  await aborted(operations.signal)
  for (const socket of sockets) socket.terminate()
}

function operate(socket: WebSocket, { document }: Operations): void {
  const send = () => {
    if (socket.readyState !== socket.OPEN) return
    const payload = { query: document() }
    socket.send(JSON.stringify({ id: `i${nextNumber()}`, type: 'subscribe', payload }))
  }
  socket.on('message', (message) => {
    const text = String(message)
    if (text.includes('"complete"')) send()
    if (text.includes('"error"')) setTimeout(send, REFUSED_WAITS_MS)
  })
  for (let i = 0; i < 15; i++) send()
}

/** A client waits a little after an error, so that the load is what the server makes of it. */
const REFUSED_WAITS_MS = 100
