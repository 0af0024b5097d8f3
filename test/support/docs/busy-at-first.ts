import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'

/**
 * A way to a server that refuses the first request as the platform refuses one too many, and passes all others on.
 *
 * @returns its address, and the idempotency key of every request
 */
export async function busyAtFirst(url: string) {
  const keys: (string | undefined)[] = []
  const door = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString())
    if (keys.length === 1) {
      request.resume()
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      return void response.end('{"code":"rate_limited","detail":"Too many.","attribute":null}')
    }
    const { method, headers } = request
    const passed = forward(new URL(request.url ?? '', url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await once(door.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${Object(door.address()).port}`,
    keys,
    stop() {
      const stopped = once(door, 'close')
      door.close()
      door.closeAllConnections()
      return stopped
    },
  }
}
