import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { encoded } from './http/compression.ts'
import { type Cors, cors, preflight } from './http/cors.ts'
import { type Exchange, failure, type Reply, type Services } from './http/endpoint.ts'
import { readBody } from './http/request-body.ts'
import { http } from './outgoing/node-http.ts'
import { type Client, clientHeaders } from './request/client.ts'
import { router } from './routes.ts'

/** Opens the port; the server answers everything of `routes.ts`. */
export async function listen(services: Services): Promise<Server> {
  const { config, log } = services.engine
  const route = router(config)
  const allow = cors(config)
  const server = http.createServer(UPGRADES, (request, response) => {
    const exchange = exchangeOf(request, response, config.maxBodyBytes)
    const endpoint = route(exchange.method, exchange.path)
    if (answerPreflight(exchange, response, allow)) return
    endpoint(exchange, services)
      .catch((cause: unknown) => {
        log.error({ request_id: exchange.client.requestId, cause }, 'endpoint failed')
        return failure(
          500,
          JSON.stringify({ path: '$', error: 'internal error', code: 'unexpected' }),
        )
      })
      .then((reply) => send(reply, exchange, { request, response, allow, server }))
      .catch((cause: unknown) => {
        log.error({ request_id: exchange.client.requestId, cause }, 'reply failed')
        response.destroy()
      })
  })
  server.listen(config.port, config.host === '*' ? undefined : config.host)
  await once(server, 'listening')
  return server
}

/** Only WebSockets are upgrades. Some clients offer HTTP/2 by themselves: they are answered in HTTP/1.1. */
const UPGRADES: ServerOptions & { shouldUpgradeCallback(request: IncomingMessage): boolean } = {
  shouldUpgradeCallback: ({ headers }) => /\bwebsocket\b/i.test(headers.upgrade ?? ''),
}

function exchangeOf(request: IncomingMessage, response: ServerResponse, limit: number): Exchange {
  const { url = '/' } = request
  const end = url.indexOf('?')
  let body: Promise<string> | null = null
  return {
    method: request.method ?? 'GET',
    path: end < 0 ? url : url.slice(0, end),
    search: () => new URLSearchParams(end < 0 ? '' : url.slice(end + 1)),
    client: clientOf(request, response),
    body: () => {
      body ??= readBody(request, limit)
      return body
    },
  }
}

function clientOf(request: IncomingMessage, response: ServerResponse): Client {
  const headers = clientHeaders(request.headers)
  return {
    headers,
    requestId: headers['x-request-id'] || randomUUID(),
    onGone(listener) {
      const closed = () => {
        if (!response.writableFinished) listener()
      }
      if (response.closed) closed()
      response.on('close', closed)
      return () => response.off('close', closed)
    },
  }
}

function answerPreflight({ method, client }: Exchange, response: ServerResponse, allow: Cors) {
  const headers = method === 'OPTIONS' ? allow(client.headers.origin) : {}
  if (Object.keys(headers).length === 0) return false
  const requested = client.headers['access-control-request-headers'] ?? ''
  response.writeHead(204, { ...headers, ...preflight(requested) }).end()
  return true
}

type Connection = {
  request: IncomingMessage
  response: ServerResponse
  allow: Cors
  server: Server
}

async function send(reply: Reply, { client }: Exchange, connection: Connection) {
  const { request, response, allow, server } = connection
  const { body, length, headers } = await encoded(reply.body, client.headers['accept-encoding'])
  response.writeHead(reply.status, {
    'Content-Type': reply.type,
    'Content-Length': length,
    ...reply.headers,
    ...headers,
    ...allow(client.headers.origin),
    ...(reply.named ? { 'x-request-id': client.requestId } : {}),
    ...(reply.cookies.length > 0 ? { 'Set-Cookie': [...reply.cookies] } : {}),
    // The rest of a body that was not read would be taken for the next request. A server that stops takes none.
    ...(request.complete && server.listening ? {} : { Connection: 'close' }),
  })
  response.end(body)
}
