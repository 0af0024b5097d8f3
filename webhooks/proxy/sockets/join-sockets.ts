import type { RawData, WebSocket } from 'ws'
import type { LoopShare } from '../../../lib/runtime/limits/loop-share.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { type Refusal, refusal } from '../judge-request.ts'
import { type Admitting, admitCallers } from './admit-callers.ts'
import { closeSocket } from './close-socket.ts'
import { endedOperation, type SocketMessage, sanitiseMessage } from './socket-message.ts'

/** Operations of a socket at a time. */
const MAX_OPERATIONS = 20
/** May wait to be handled, or to be sent to one side; beyond that the side it came from is not read. */
const MAX_WAITING_BYTES = 1024 * 1024
/** A side that has not read half of that within this time, while it waits, is cut off; unless `idleMs` is shorter. */
const MAX_UNREAD_MS = 10_000
/** How long a client may take to send `connection_init`, unless `idleMs` is shorter. */
const MAX_INIT_WAIT_MS = 10_000

type SocketPair = Admitting & {
  /** Of the client's upgrade. */
  authorization: string | undefined
  log: Log
  idleMs: number
  loop: LoopShare
}

/** Passes messages between the two sides until either closes; then both are closed. */
export function joinSockets(pair: SocketPair): void {
  const { client, upstream, log, idleMs } = pair
  const initTimer = setTimeout(
    () => closeSocket(client, 4408, 'no connection_init'),
    Math.min(MAX_INIT_WAIT_MS, idleMs),
  )
  const opened = performance.now()
  const operations = new Set<string>()
  receiveFromClient(pair, operations, () => clearTimeout(initTimer))
  const toClient = channel({ hold: reader(upstream), to: client, idleMs })
  upstream.on('message', (data) => {
    const ended = endedOperation(data)
    if (ended !== null) operations.delete(ended)
    toClient(data)
  })
  client.once('close', (code, reason) => {
    clearTimeout(initTimer)
    log.info({ code, ms: Math.round(performance.now() - opened) }, 'socket closed')
    closeSocket(upstream, code, String(reason))
  })
  upstream.once('close', (code, reason) => closeSocket(client, code, String(reason)))
  for (const side of [client, upstream]) {
    side.on('error', (err) => log.debug({ err }, 'socket failed'))
    terminateWhenIdle(side, idleMs)
  }
}

/** Handles a client's messages one after another, since whose credentials are wrong may have to wait. */
function receiveFromClient(pair: SocketPair, operations: Set<string>, onInit: () => void) {
  const { client, upstream, authorization, idleMs, address, loop } = pair
  const admit = admitCallers(pair)
  const hold = reader(client)
  const toHasura = channel({ hold, to: upstream, idleMs })
  const toClient = channel({ hold, to: client, idleMs })

  let caller = address

  async function receive(text: string | null) {
    if (client.readyState !== client.OPEN) return
    const message =
      text === null ? null : await loop.run(caller, () => sanitiseMessage(text, authorization))
    if (!message) return closeSocket(client, 4400, 'not a message of GraphQL over WebSocket')
    if (message.kind === 'init') {
      onInit()
      const admitted = await admit(message.credentials)
      if (admitted === null) return
      caller = admitted
    }
    const refused = noteOperation(message, operations)
    if (refused) toClient(refusalMessage(refused, client.protocol))
    else toHasura(message.text)
  }

  let handled = Promise.resolve()
  let unhandledBytes = 0
  let release: (() => void) | null = null
  client.on('message', (data: Buffer, isBinary: boolean) => {
    const { length } = data
    unhandledBytes += length
    if (unhandledBytes > MAX_WAITING_BYTES) release ??= hold()
    const text = isBinary ? null : data.toString()
    handled = handled
      .then(() => receive(text))
      .finally(() => {
        unhandledBytes -= length
        if (unhandledBytes > MAX_WAITING_BYTES / 2) return
        release?.()
        release = null
      })
  })
}

/** An operation that may not start, and why. */
type RefusedOperation = { id: string; refused: Refusal }

/** Notes that a message starts or stops an operation; one that may not start is not noted. */
function noteOperation(message: SocketMessage, running: Set<string>): RefusedOperation | null {
  if (message.kind === 'stop') running.delete(message.id)
  if (message.kind !== 'start') return null
  const { id, fault } = message
  if (fault) return { id, refused: refusal('validation-failed', fault) }
  if (running.size >= MAX_OPERATIONS && !running.has(id)) {
    const tooMany = { path: '$', message: 'too many operations at once' }
    return { id, refused: refusal('start-failed', tooMany) }
  }
  running.add(id)
  return null
}

/** In the newer protocol the errors themselves are the payload. */
function refusalMessage({ id, refused }: RefusedOperation, protocol: string): string {
  const payload = protocol === 'graphql-transport-ws' ? refused.errors : refused
  return JSON.stringify({ type: 'error', id, payload })
}

/** Stops reading a socket; the function it returns ends that. */
type Hold = () => () => void

/** A socket is read while nobody holds it. */
function reader(socket: WebSocket): Hold {
  let holds = 0
  return () => {
    if (holds++ === 0) socket.pause()
    return () => {
      if (--holds === 0) socket.resume()
    }
  }
}

/** `hold` is of the side that the messages come from. */
type Direction = { hold: Hold; to: WebSocket; idleMs: number }

/**
 * Sends what comes from one side to the other. A side that sends more than the other takes is not read until the other
 * has caught up; one that hardly reads at all is cut off.
 */
function channel({ hold, to, idleMs }: Direction): (data: RawData | string) => void {
  let cut: NodeJS.Timeout | undefined
  let release: (() => void) | null = null
  const goOn = () => {
    if (!release || to.bufferedAmount >= MAX_WAITING_BYTES / 2) return
    clearTimeout(cut)
    release()
    release = null
  }
  const cutUnlessRead = () => {
    const before = to.bufferedAmount
    clearTimeout(cut)
    cut = setTimeout(
      () => {
        if (before - to.bufferedAmount < MAX_WAITING_BYTES / 2) to.terminate()
        else cutUnlessRead()
      },
      Math.min(MAX_UNREAD_MS, idleMs),
    ).unref()
  }
  to.once('close', () => clearTimeout(cut))
  return (data) => {
    if (to.readyState !== to.OPEN) return
    to.send(data, { binary: false }, goOn)
    if (to.bufferedAmount <= MAX_WAITING_BYTES || release) return
    release = hold()
    cutUnlessRead()
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
