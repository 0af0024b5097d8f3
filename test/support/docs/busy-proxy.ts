import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'

/**
 * Starts a proxy that answers 429 to the first request, as the platform's rate limit does, and forwards all later requests.
 *
 * @returns the proxy's URL, and the idempotency keys of all requests
 */
export async function startBusyProxy(url: string) {
  const keys: (string | undefined)[] = []
  const proxy = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']?.toString())
    if (keys.length === 1) {
      request.resume()
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      return void response.end('{"code":"rate_limited","detail":"Too many.","attribute":null}')
    }
    const { method, headers } = request
    const forwardedRequest = forward(
      new URL(request.url ?? '', url),
      { method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    forwardedRequest.on('error', () => response.destroy())
    request.pipe(forwardedRequest)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${Object(proxy.address()).port}`,
    keys,
    stop() {
      const closing = once(proxy, 'close')
      proxy.close()
      proxy.closeAllConnections()
      return closing
    },
  }
}
