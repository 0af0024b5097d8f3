import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { createServerStop, type StopServer } from '../../../lib/runtime/http/stop-server.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { http } from '../outgoing/node-http.ts'
import { type Client, clientHeaders } from '../session/client.ts'
import { compressBody } from './http/compression.ts'
import { type CorsHeaders, createCorsHeaders, preflightHeaders } from './http/cors.ts'
import { CROSS_SITE_MESSAGE, createCrossSiteCheck } from './http/cross-site-check.ts'
import {
  type Endpoint,
  type EndpointRequest,
  type EngineServices,
  errorReply,
  type HttpReply,
} from './http/endpoint.ts'
import { openHttpLog } from './http/http-log.ts'
import { readBody } from './http/request-body.ts'
import { createRouter } from './routes.ts'

/**
 * Starts the HTTP server with the paths of `routes.ts`.
 *
 * @throws if the server cannot listen, for example because the port is in use
 */
export async function startHttpServer(
  services: EngineServices,
): Promise<{ server: Server; stopServer: StopServer }> {
  const { config, log } = services.engine
  const httpLog = openHttpLog(services.engine)
  const route = createRouter(config)
  const corsHeaders = createCorsHeaders(config)
  const isCrossSite = createCrossSiteCheck(config)
  const server = http.createServer(
    { ...SERVER_OPTIONS, maxHeaderSize: config.maxHeaderBytes },
    (request, response) => {
      const times = httpLog.begin(request)
      const endpointRequest = toEndpointRequest(request, response, config.maxBodyBytes)
      const endpoint = isCrossSite(request.headers)
        ? rejectCrossSiteRequest
        : route(endpointRequest.method, endpointRequest.path)
      const { requestId } = endpointRequest.client
      if (answerPreflight(endpointRequest, response, corsHeaders)) return
      endpoint(endpointRequest, services)
        .catch((cause: unknown) => {
          log.error({ request_id: requestId, cause }, 'endpoint failed')
          return errorReply(500, INTERNAL_ERROR)
        })
        .then(async (reply) => {
          const connection = { request, response, corsHeaders, server }
          const sent = await sendReply(reply, endpointRequest, connection)
          if (times) httpLog.write({ times, request, endpointRequest, reply, ...sent })
        })
        .catch((cause: unknown) => {
          log.error({ request_id: requestId, cause }, 'reply failed')
          response.destroy()
        })
    },
  )
  const stopServer = createServerStop(server)
  server.listen(config.port, config.host === '*' ? undefined : config.host)
  await once(server, 'listening')
  return { server, stopServer }
}

const SERVER_OPTIONS: ServerOptions & {
  shouldUpgradeCallback(request: IncomingMessage): boolean
} = {
  // The same time as in Hasura's web server. With Node's default of five seconds, busy clients often use a connection that the
  // server is closing.
  keepAliveTimeout: 30_000,
  // Upgrades only to WebSocket. Some clients offer HTTP/2 by default; they get HTTP/1.1.
  shouldUpgradeCallback: ({ headers }) => /\bwebsocket\b/i.test(headers.upgrade ?? ''),
}

const rejectCrossSiteRequest: Endpoint = async () =>
  errorReply(403, JSON.stringify({ path: '$', error: CROSS_SITE_MESSAGE, code: 'access-denied' }))

const INTERNAL_ERROR = JSON.stringify({ path: '$', error: 'internal error', code: 'unexpected' })

function toEndpointRequest(
  request: IncomingMessage,
  response: ServerResponse,
  maxBodyBytes: number,
): EndpointRequest {
  const url = requireValue(request.url, 'the URL of a request')
  const queryAt = url.indexOf('?')
  let body: Promise<string> | null = null
  return {
    method: requireValue(request.method, 'the method of a request'),
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    search: () => new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1)),
    client: toClient(request, response),
    body: () => {
      body ??= readBody(request, maxBodyBytes)
      return body
    },
  }
}

function toClient(request: IncomingMessage, response: ServerResponse): Client {
  const headers = clientHeaders(request.headers)
  return {
    headers,
    requestId: headers['x-request-id'] || randomUUID(),
    signal: abortUnlessFinished(response),
  }
}

function abortUnlessFinished(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

/** Answers an OPTIONS request from an allowed origin as a CORS preflight request. Returns false for every other request. */
function answerPreflight(
  { method, client }: EndpointRequest,
  response: ServerResponse,
  corsHeaders: CorsHeaders,
): boolean {
  const headers = method === 'OPTIONS' ? corsHeaders(client.headers.origin) : {}
  if (Object.keys(headers).length === 0) return false
  const requestHeaders = client.headers['access-control-request-headers'] ?? ''
  response.writeHead(204, { ...headers, ...preflightHeaders(requestHeaders) }).end()
  return true
}

type HttpConnection = {
  request: IncomingMessage
  response: ServerResponse
  corsHeaders: CorsHeaders
  server: Server
}

/** Sends a reply. Returns the sizes and the encoding of its body. */
async function sendReply(
  reply: HttpReply,
  { client }: EndpointRequest,
  connection: HttpConnection,
) {
  const { request, response, corsHeaders, server } = connection
  const { body, length, originalLength, headers } = await compressBody(
    reply.body,
    client.headers['accept-encoding'],
  )
  response.writeHead(reply.status, {
    'Content-Type': reply.type,
    'Content-Length': length,
    ...reply.headers,
    ...headers,
    ...corsHeaders(client.headers.origin),
    ...(reply.hasRequestId ? { 'x-request-id': client.requestId } : {}),
    ...(reply.cookies.length > 0 ? { 'Set-Cookie': [...reply.cookies] } : {}),
    // Closes the connection if the server stops, or if a part of the body is unread. The server would read that part as the
    // next request.
    ...(request.complete && server.listening ? {} : { Connection: 'close' }),
  })
  response.end(body)
  const encoding = headers['Content-Encoding'] ?? null
  return { size: length, uncompressedSize: originalLength, encoding }
}
