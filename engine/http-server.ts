import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { compressBody } from './http/compression.ts'
import { type CorsHeaders, createCorsHeaders, preflightHeaders } from './http/cors.ts'
import {
  type EndpointRequest,
  type EngineServices,
  errorReply,
  type HttpReply,
} from './http/endpoint.ts'
import { readBody } from './http/request-body.ts'
import { http } from './outgoing/node-http.ts'
import { type Client, clientHeaders } from './request/client.ts'
import { createRouter } from './routes.ts'

/** Opens the port; the server answers everything of `routes.ts`. */
export async function startHttpServer(services: EngineServices): Promise<Server> {
  const { config, log } = services.engine
  const route = createRouter(config)
  const allow = createCorsHeaders(config)
  const server = http.createServer(UPGRADES, (request, response) => {
    const exchange = toEndpointRequest(request, response, config.maxBodyBytes)
    const endpoint = route(exchange.method, exchange.path)
    if (answerPreflight(exchange, response, allow)) return
    endpoint(exchange, services)
      .catch((cause: unknown) => {
        log.error({ request_id: exchange.client.requestId, cause }, 'endpoint failed')
        return errorReply(
          500,
          JSON.stringify({ path: '$', error: 'internal error', code: 'unexpected' }),
        )
      })
      .then((reply) => sendReply(reply, exchange, { request, response, allow, server }))
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

function toEndpointRequest(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): EndpointRequest {
  const { url = '/' } = request
  const end = url.indexOf('?')
  let body: Promise<string> | null = null
  return {
    method: request.method ?? 'GET',
    path: end < 0 ? url : url.slice(0, end),
    search: () => new URLSearchParams(end < 0 ? '' : url.slice(end + 1)),
    client: clientConnection(request, response),
    body: () => {
      body ??= readBody(request, limit)
      return body
    },
  }
}

function clientConnection(request: IncomingMessage, response: ServerResponse): Client {
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

function answerPreflight(
  { method, client }: EndpointRequest,
  response: ServerResponse,
  allow: CorsHeaders,
) {
  const headers = method === 'OPTIONS' ? allow(client.headers.origin) : {}
  if (Object.keys(headers).length === 0) return false
  const requested = client.headers['access-control-request-headers'] ?? ''
  response.writeHead(204, { ...headers, ...preflightHeaders(requested) }).end()
  return true
}

type HttpConnection = {
  request: IncomingMessage
  response: ServerResponse
  allow: CorsHeaders
  server: Server
}

async function sendReply(
  reply: HttpReply,
  { client }: EndpointRequest,
  connection: HttpConnection,
) {
  const { request, response, allow, server } = connection
  const { body, length, headers } = await compressBody(
    reply.body,
    client.headers['accept-encoding'],
  )
  response.writeHead(reply.status, {
    'Content-Type': reply.type,
    'Content-Length': length,
    ...reply.headers,
    ...headers,
    ...allow(client.headers.origin),
    ...(reply.hasRequestId ? { 'x-request-id': client.requestId } : {}),
    ...(reply.cookies.length > 0 ? { 'Set-Cookie': [...reply.cookies] } : {}),
    // The rest of a body that was not read would be taken for the next request. A server that stops takes none.
    ...(request.complete && server.listening ? {} : { Connection: 'close' }),
  })
  response.end(body)
}
