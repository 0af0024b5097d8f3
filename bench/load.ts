import { connect, type Socket } from 'node:net'

export type Call = { path: string; body: string }
export type Sample = { status: number; ms: number }

type Connection = { send(call: Call): Promise<number>; close(): void }

/**
 * Sends every call once, `connections` at a time, the next as soon as one is answered.
 *
 * @returns the samples in order of completion, and how long all of it took
 */
export async function closedLoop(
  baseUrl: string,
  calls: readonly Call[],
  connections: number,
): Promise<{ samples: Sample[]; seconds: number }> {
  const samples: Sample[] = []
  const queue = calls.values()
  const started = performance.now()
  const work = async () => {
    const connection = await open(baseUrl)
    for (const call of queue) samples.push(await timed(connection, call, performance.now()))
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, work))
  return { samples, seconds: (performance.now() - started) / 1_000 }
}

/**
 * Sends calls at a fixed rate whatever happens to the ones before, as independent callers do; the
 * time of a call counts from when it was due.
 */
export async function openLoop(
  baseUrl: string,
  calls: readonly Call[],
  perSecond: number,
): Promise<Sample[]> {
  const idle: Connection[] = []
  const started = performance.now()
  const samples = calls.map(async (call, i) => {
    const due = started + (i * 1_000) / perSecond
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    const connection = idle.pop() ?? (await open(baseUrl))
    const sample = await timed(connection, call, due)
    idle.push(connection)
    return sample
  })
  const all = await Promise.all(samples)
  for (const connection of idle) connection.close()
  return all
}

async function timed(connection: Connection, call: Call, since: number): Promise<Sample> {
  const status = await connection.send(call)
  return { status, ms: performance.now() - since }
}

/**
 * A kept connection that takes one request at a time. A full HTTP client would take a tenth of the
 * machine away from what is measured.
 */
async function open(baseUrl: string): Promise<Connection> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject)
  })
  return {
    send: ({ path, body }) => {
      const length = Buffer.byteLength(body)
      const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
      const status = answer(socket)
      socket.write(head + body)
      return status
    },
    close: () => socket.destroy(),
  }
}

/** Reads one response, whose length its head must tell. */
function answer(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (text.length < end + 4 + length) return
      socket.off('data', read).off('error', reject)
      resolve(Number(text.slice(9, 12)))
    }
    socket.on('data', read).once('error', reject)
  })
}
