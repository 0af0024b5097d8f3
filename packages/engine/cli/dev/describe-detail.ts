import { z } from 'zod'

/** Describes the detail of a line of the types `http-log` and `websocket-log`. Returns null for any other line. */
export function describeDetail(type: string, detail: unknown): string | null {
  if (type === 'http-log') return formatRequest(HttpDetail.parse(detail))
  if (type === 'websocket-log') return formatSocketEvent(SocketDetail.parse(detail))
  return null
}

const Variables = z.looseObject({ 'x-hasura-role': z.string().optional() }).nullish()

const Fault = z.looseObject({ code: z.string(), path: z.string() })

const HttpDetail = z.looseObject({
  operation: z.looseObject({
    request_read_time: z.number(),
    query_execution_time: z.number(),
    user_vars: Variables,
    error: Fault.optional(),
  }),
  http_info: z.looseObject({ method: z.string(), url: z.string(), status: z.number() }),
})

/** Returns for example `POST /v1/graphql 200 reader validation-failed at $.selectionSet.book 11 ms`. */
function formatRequest({ operation, http_info: info }: z.infer<typeof HttpDetail>): string {
  const { request_read_time: reading, query_execution_time: execution, error } = operation
  return joinWords([
    info.method,
    info.url,
    String(info.status),
    operation.user_vars?.['x-hasura-role'],
    error && formatFault(error),
    `${Math.round((reading + execution) * 1_000)} ms`,
  ])
}

/** The outcome of an operation: its state, such as `started`. */
const Operation = z.looseObject({
  operation_id: z.string(),
  operation_name: z.string().nullable(),
  operation_type: z.looseObject({ type: z.string(), detail: Fault.optional() }),
})

const SocketDetail = z.looseObject({
  event: z.looseObject({
    type: z.string(),
    detail: z.union([z.string(), Operation, Fault]).optional(),
  }),
  user_vars: Variables,
})

/** Returns for example `WebSocket operation 1 started reader`. */
function formatSocketEvent({ event, user_vars: variables }: z.infer<typeof SocketDetail>): string {
  const { type, detail } = event
  const role = variables?.['x-hasura-role']
  if (typeof detail !== 'object') return joinWords(['WebSocket', type, detail, role])
  if (!isOperation(detail)) return joinWords(['WebSocket', type, formatFault(detail)])
  const { operation_id: id, operation_name: name, operation_type: state } = detail
  const fault = state.detail && formatFault(state.detail)
  return joinWords(['WebSocket', type, id, name, state.type, role, fault])
}

function isOperation(
  detail: z.infer<typeof Operation> | z.infer<typeof Fault>,
): detail is z.infer<typeof Operation> {
  return 'operation_type' in detail
}

function formatFault({ code, path }: z.infer<typeof Fault>): string {
  return `${code} at ${path}`
}

function joinWords(words: readonly (string | null | undefined)[]): string {
  return words.filter(Boolean).join(' ')
}
