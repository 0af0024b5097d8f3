import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Sends a POST with a JSON body, and breaks the connection after this many milliseconds. */
export async function sendAndBreak(
  url: string,
  { body, headers, afterMs }: { body: object; headers: Record<string, string>; afterMs: number },
): Promise<void> {
  const { hostname, port, pathname } = new URL(url)
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host: `${hostname}:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  await sleep(afterMs)
  socket.destroy()
}
