import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { memberAt } from '../../json/record.ts'
import {
  loggableError,
  loggableRequest,
  loggableVariables,
  showsContents,
} from '../../log/loggable-request.ts'
import { cutText, openTypedLog } from '../../log/typed-log.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { AnsweredOperation, EndpointRequest, HttpReply } from './endpoint.ts'

/** The lines of the type `http-log`: one for each request, except CORS preflights. */
export type HttpLog = {
  /** Begins to measure a request. Returns null if no line is enabled. */
  begin(request: IncomingMessage): RequestTimes | null
  /** Writes the line of a reply that has been sent. */
  write(sent: SentReply): void
}

/** When a request began, and when its body had arrived, in the time of `performance.now()`. */
export type RequestTimes = { startedAt: number; readAt: number }

export type SentReply = {
  times: RequestTimes
  request: IncomingMessage
  endpointRequest: EndpointRequest
  reply: HttpReply
  /** The bytes of the body on the wire, and before its compression. */
  size: number
  uncompressedSize: number
  encoding: string | null
}

/** Opens the log of HTTP requests. Its lines have the fields of Hasura's lines. */
export function openHttpLog({ config, log }: Pick<Engine, 'config' | 'log'>): HttpLog {
  const lines = openTypedLog(log, 'http-log', config)
  const writesInfo = lines.writes('info')
  const writesErrors = lines.writes('error')
  return {
    begin(request) {
      if (!writesErrors) return null
      const startedAt = performance.now()
      const times = { startedAt, readAt: startedAt }
      request.once('end', () => {
        times.readAt = performance.now()
      })
      return times
    },
    write(sent) {
      const level = hasFailed(sent.reply) ? 'error' : 'info'
      if (level === 'error' || writesInfo) lines.write(level, describeRequest(sent, config))
    },
  }
}

function hasFailed({ status, operation }: HttpReply): boolean {
  return operation ? operation.error !== null : status >= 400
}

function describeRequest(sent: SentReply, config: Config): object {
  const { request, endpointRequest, reply, times } = sent
  const { path, method, client } = endpointRequest
  const requestId = cutText(client.requestId)
  return {
    request_id: requestId,
    operation: {
      request_id: requestId,
      request_mode: requestMode(reply),
      response_size: sent.size,
      uncompressed_response_size: sent.uncompressedSize,
      request_read_time: (times.readAt - times.startedAt) / 1_000,
      query_execution_time: (performance.now() - times.readAt) / 1_000,
      ...describeReplyOperation(reply, config),
    },
    http_info: {
      status: reply.status,
      http_version: `HTTP/${request.httpVersion}`,
      url: cutText(path),
      ip: cutText(clientAddress(request)),
      method,
      content_encoding: sent.encoding,
    },
    ...(reply.batch && { batched_operations: reply.batch }),
  }
}

/** Hasura's name for the kind of a request. */
function requestMode(reply: HttpReply): string {
  const { operation, batch } = reply
  if (hasFailed(reply)) return 'error'
  if (!operation?.isGraphql) return 'non-graphql'
  return batch ? 'batched' : 'single'
}

function describeReplyOperation({ status, operation }: HttpReply, config: Config): object {
  if (!operation) return status < 400 ? {} : { error: { path: '$', code: errorCodeOf(status) } }
  const { session, error } = operation
  return {
    ...(session && { user_vars: loggableVariables(session.variables) }),
    query: describeQuery(operation, config),
    ...(error && { error: loggableError(error, config) }),
  }
}

/**
 * Describes the body as Hasura does: only the type of a command, unless the operator has enabled the contents of GraphQL
 * requests. Commands may contain passwords, so the rest of a command is never logged.
 */
function describeQuery({ body, isGraphql }: AnsweredOperation, config: Config): unknown {
  if (isGraphql && showsContents(config))
    return Array.isArray(body) ? body.map(loggableRequest) : loggableRequest(body)
  const type = memberAt(body, 'type')
  return { type: typeof type === 'string' ? cutText(type) : null }
}

const ERROR_CODES: Readonly<Record<number, string>> = {
  403: 'access-denied',
  404: 'not-found',
  405: 'method-not-allowed',
}

/** Returns the code of a reply without an operation, for example for an unknown path. */
function errorCodeOf(status: number): string {
  return ERROR_CODES[status] ?? 'unexpected'
}

/** Returns the client's address as Hasura does: from the headers of a proxy, or from the connection. */
function clientAddress({ headers, socket }: IncomingMessage): string {
  const proxied = headers['x-real-ip'] ?? headers['x-forwarded-for']
  const [first = ''] = String(proxied ?? '').split(',')
  return first.trim() || (socket.remoteAddress ?? '').replace(IPV4_PREFIX, '')
}

/** The prefix of an IPv4 address on a socket that accepts IPv6 and IPv4, as in `::ffff:192.0.2.7`. */
const IPV4_PREFIX = /^::ffff:(?=\d+\.)/i
