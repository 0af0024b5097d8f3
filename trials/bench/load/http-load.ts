import { connect, type Socket } from 'node:net'

export type Call = {
  method?: 'GET'
  path: string
  body: string
  headers?: Readonly<Record<string, string>>
}
export type Sample = { status: number; ms: number; failed: boolean }

export type Connection = { send(call: Call): Promise<CallResponse>; close(): void }
export type CallResponse = { status: number; head: string; text: string }

/** Sends one call on a new connection. */
export async function callOnce(baseUrl: string, call: Call): Promise<CallResponse> {
  const connection = await openConnection(baseUrl)
  const answer = await connection.send(call)
  connection.close()
  return answer
}

/**
 * Sends every call once, on `connections` connections. Each connection sends its next call once it has a response.
 *
 * @returns the samples in the order of completion, and the duration of the whole run
 */
export async function runClosedLoop(
  baseUrl: string,
  calls: Iterable<Call>,
  connections: number,
): Promise<{ samples: Sample[]; seconds: number }> {
  const samples: Sample[] = []
  const queue = shareCalls(calls)
  const startTime = performance.now()
  const sendQueuedCalls = async () => {
    const connection = await openConnection(baseUrl)
    for (const call of queue) samples.push(await timeCall(connection, call, performance.now()))
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, sendQueuedCalls))
  return { samples, seconds: (performance.now() - startTime) / 1_000 }
}

/**
 * Sends calls at a fixed rate, even if earlier calls have no response yet, as independent callers do. The time of a call
 * begins when it was due.
 */
export async function runOpenLoop(
  baseUrl: string,
  calls: readonly Call[],
  perSecond: number,
): Promise<Sample[]> {
  const idle: Connection[] = []
  const startTime = performance.now()
  const samples = calls.map(async (call, i) => {
    const dueTime = startTime + (i * 1_000) / perSecond
    await new Promise((resolve) => setTimeout(resolve, dueTime - performance.now()))
    const connection = idle.pop() ?? (await openConnection(baseUrl))
    // A timer may fire up to 1 ms early, which must not make the call look faster.
    const sample = await timeCall(connection, call, Math.min(dueTime, performance.now()))
    idle.push(connection)
    return sample
  })
  const all = await Promise.all(samples)
  for (const connection of idle) connection.close()
  return all
}

/** Turns the calls into one sequence, from which all connections take their next call. */
function* shareCalls(calls: Iterable<Call>): Generator<Call> {
  yield* calls
}

/** Sends a call and measures its time from `since`. A status from 400 on, or a GraphQL error, counts as failed. */
export async function timeCall(connection: Connection, call: Call, since: number): Promise<Sample> {
  const { status, text } = await connection.send(call)
  const ms = performance.now() - since
  return { status, ms, failed: status >= 400 || text.includes('"errors":') }
}

/**
 * Opens a keep-alive connection for one request at a time. A full HTTP client would take a tenth of the machine's CPU.
 */
export async function openConnection(baseUrl: string): Promise<Connection> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject)
  })
  return {
    send: ({ method = 'POST', path, body, headers = {} }) => {
      const lines = Object.entries({
        host: hostname,
        ...(method === 'POST' && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...headers,
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      const response = readResponse(socket)
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
      return response
    },
    close: () => socket.destroy(),
  }
}

/** Reads one response; it must have a Content-Length. */
function readResponse(socket: Socket): Promise<CallResponse> {
  return new Promise((resolve, reject) => {
    let text = ''
    let bodyAt = -1
    let length = 0
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (bodyAt < 0) {
        const end = text.indexOf('\r\n\r\n')
        if (end < 0) return
        bodyAt = end + 4
        length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      }
      if (text.length < bodyAt + length) return
      socket.off('data', read).off('error', reject)
      resolve({
        status: Number(text.slice(9, 12)),
        head: text.slice(0, bodyAt),
        text: text.slice(bodyAt),
      })
    }
    socket.on('data', read).once('error', reject)
  })
}
