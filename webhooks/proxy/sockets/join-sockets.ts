import type { RawData, WebSocket } from 'ws'
import type { LoopShare } from '../../../lib/runtime/limits/loop-share.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { type Refusal, refusal } from '../judge-request.ts'
import { createAdmission, type SocketsToAdmit } from './admit-callers.ts'
import { closeSocket } from './close-socket.ts'
import { findEndedOperation, type SocketMessage, sanitiseMessage } from './socket-message.ts'

/** The maximum number of operations that run at the same time on a socket. */
const MAX_OPERATIONS = 20
/** How many bytes may wait to be handled, or to be sent to a side. While more wait, the side that sends them is not read. */
const MAX_WAITING_BYTES = 1024 * 1024
/** How long a slow side may take to read half of these bytes before it is cut, unless `idleMs` is shorter. */
const MAX_UNREAD_MS = 10_000
/** How long a client may take to send `connection_init`, unless `idleMs` is shorter. */
const MAX_INIT_WAIT_MS = 10_000

type SocketPair = SocketsToAdmit & {
  /** The header of the client's upgrade. */
  authorization: string | undefined
  log: Log
  idleMs: number
  loop: LoopShare
}

/** Forwards messages between the client and Hasura. When a side closes, closes both. */
export function joinSockets(pair: SocketPair): void {
  const { client, upstream, log, idleMs } = pair
  const initTimer = setTimeout(
    () => closeSocket(client, 4408, 'no connection_init'),
    Math.min(MAX_INIT_WAIT_MS, idleMs),
  )
  const openedAt = performance.now()
  const operations = new Set<string>()
  receiveFromClient(pair, operations, () => clearTimeout(initTimer))
  const sendToClient = createChannel({ pause: createPauser(upstream), to: client, idleMs })
  upstream.on('message', (data) => {
    const endedId = findEndedOperation(data)
    if (endedId !== null) operations.delete(endedId)
    sendToClient(data)
  })
  client.once('close', (code, reason) => {
    clearTimeout(initTimer)
    log.info({ code, ms: Math.round(performance.now() - openedAt) }, 'socket closed')
    closeSocket(upstream, code, String(reason))
  })
  upstream.once('close', (code, reason) => closeSocket(client, code, String(reason)))
  for (const side of [client, upstream]) {
    side.on('error', (err) => log.debug({ err }, 'socket failed'))
    terminateWhenIdle(side, idleMs)
  }
}

/** Handles a client's messages one after another, because `connection_init` may have to wait after wrong credentials. */
function receiveFromClient(pair: SocketPair, operations: Set<string>, onInit: () => void) {
  const { client, upstream, authorization, idleMs, address, loop } = pair
  const admit = createAdmission(pair)
  const pause = createPauser(client)
  const sendToHasura = createChannel({ pause, to: upstream, idleMs })
  const sendToClient = createChannel({ pause, to: client, idleMs })

  let caller = address

  async function receive(text: string | null) {
    if (client.readyState !== client.OPEN) return
    const message =
      text === null ? null : await loop.run(caller, () => sanitiseMessage(text, authorization))
    if (!message) return closeSocket(client, 4400, 'not a message of GraphQL over WebSocket')
    if (message.kind === 'init') {
      onInit()
      const name = await admit(message.credentials)
      if (name === null) return
      caller = name
    }
    const refusedOperation = trackOperation(message, operations)
    if (refusedOperation) sendToClient(refusalMessage(refusedOperation, client.protocol))
    else sendToHasura(message.text)
  }

  let lastMessage = Promise.resolve()
  let unhandledBytes = 0
  let endPause: (() => void) | null = null
  client.on('message', (data: Buffer, isBinary: boolean) => {
    const { length } = data
    unhandledBytes += length
    if (unhandledBytes > MAX_WAITING_BYTES) endPause ??= pause()
    const text = isBinary ? null : data.toString()
    lastMessage = lastMessage
      .then(() => receive(text))
      .finally(() => {
        unhandledBytes -= length
        if (unhandledBytes > MAX_WAITING_BYTES / 2) return
        endPause?.()
        endPause = null
      })
  })
}

/** An operation that may not start, and the refusal that the client gets. */
type RefusedOperation = { id: string; refusedBody: Refusal }

/** Updates the set of running operations after a client's message. Returns the operation if it may not start, else null. */
function trackOperation(message: SocketMessage, running: Set<string>): RefusedOperation | null {
  if (message.kind === 'stop') running.delete(message.id)
  if (message.kind !== 'start') return null
  const { id, fault } = message
  if (fault) return { id, refusedBody: refusal('validation-failed', fault) }
  if (running.size >= MAX_OPERATIONS && !running.has(id)) {
    const tooMany = { path: '$', message: 'too many operations at once' }
    return { id, refusedBody: refusal('start-failed', tooMany) }
  }
  running.add(id)
  return null
}

/** Writes the refusal. In the newer protocol the payload is the list of errors. */
function refusalMessage({ id, refusedBody }: RefusedOperation, protocol: string): string {
  const payload = protocol === 'graphql-transport-ws' ? refusedBody.errors : refusedBody
  return JSON.stringify({ type: 'error', id, payload })
}

/** Pauses a socket. Returns the function that ends this pause. */
type Pause = () => () => void

/** Creates the function that pauses a socket. The socket resumes when all pauses have ended. */
function createPauser(socket: WebSocket): Pause {
  let pauses = 0
  return () => {
    if (pauses++ === 0) socket.pause()
    return () => {
      if (--pauses === 0) socket.resume()
    }
  }
}

/** A direction of messages. `pause` pauses the side that sends them. */
type Direction = { pause: Pause; to: WebSocket; idleMs: number }

/**
 * Creates the function that forwards messages in a direction. Pauses the sender while the receiver is slow, and cuts a
 * receiver that hardly reads.
 */
function createChannel({ pause, to, idleMs }: Direction): (data: RawData | string) => void {
  let timer: NodeJS.Timeout | undefined
  let endPause: (() => void) | null = null
  const resumeSender = () => {
    if (!endPause || to.bufferedAmount >= MAX_WAITING_BYTES / 2) return
    clearTimeout(timer)
    endPause()
    endPause = null
  }
  const cutSlowReceiver = () => {
    const bytesBefore = to.bufferedAmount
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        if (bytesBefore - to.bufferedAmount < MAX_WAITING_BYTES / 2) to.terminate()
        else cutSlowReceiver()
      },
      Math.min(MAX_UNREAD_MS, idleMs),
    ).unref()
  }
  to.once('close', () => clearTimeout(timer))
  return (data) => {
    if (to.readyState !== to.OPEN) return
    to.send(data, { binary: false }, resumeSender)
    if (to.bufferedAmount <= MAX_WAITING_BYTES || endPause) return
    endPause = pause()
    cutSlowReceiver()
  }
}

function terminateWhenIdle(side: WebSocket, idleMs: number) {
  let isAlive = true
  const revive = () => {
    isAlive = true
  }
  side.on('pong', revive).on('message', revive)
  const check = setInterval(() => {
    if (!isAlive) return side.terminate()
    isAlive = false
    if (side.readyState === side.OPEN) side.ping()
  }, idleMs / 2)
  side.once('close', () => clearInterval(check))
}
