import { randomBytes } from 'node:crypto'
import type { Metadata } from '../../metadata/metadata.ts'
import type { ClientHeaders } from '../../session/client.ts'
import type { PreparedStatement } from '../database/execute.ts'

/** A trace, the engine's span in it, and whether it is recorded (`1`) or not (`0`). */
type TraceContext = { trace_id: string; span_id: string; sampling_state: '0' | '1' }

/**
 * Returns the trace that a client's request names, or a new trace. Like Hasura, reads the W3C's header only if the metadata enables
 * it.
 *
 * @see https://github.com/openzipkin/b3-propagation
 * @see https://www.w3.org/TR/trace-context/
 */
export function traceContext(headers: ClientHeaders, metadata: Metadata): TraceContext {
  const clientTrace = namedTrace(headers, metadata)
  return {
    trace_id: clientTrace?.id ?? randomHex(16),
    span_id: randomHex(8),
    sampling_state: clientTrace?.isRecorded === false ? '0' : '1',
  }
}

/**
 * Returns the statement that sets the trace for the rest of the transaction. Triggers read it with
 * `current_setting('hasura.tracecontext')`, and events contain it. Null if the request names no trace: the first event of the
 * transaction then creates a trace (jobs/row-trigger-sql.ts).
 */
export function traceStatement(
  headers: ClientHeaders,
  metadata: Metadata,
): PreparedStatement | null {
  if (namedTrace(headers, metadata) === undefined) return null
  const text = JSON.stringify(traceContext(headers, metadata))
  return { ...SET_TRACE, parameters: [{ read: () => text }] }
}

/** Reads the trace in the headers. A trace is recorded unless the headers say otherwise. */
function namedTrace(headers: ClientHeaders, metadata: Metadata): NamedTrace | undefined {
  const [b3] = B3_TRACE.exec(headers['x-b3-traceid'] ?? '') ?? []
  if (b3 !== undefined) return { id: b3, isRecorded: headers['x-b3-sampled'] !== '0' }
  const w3c = followsTraceparent(metadata) ? headers.traceparent : undefined
  const [, id, flags = ''] = W3C_PARENT.exec(w3c ?? '') ?? []
  return id === undefined ? undefined : { id, isRecorded: Number.parseInt(flags, 16) % 2 === 1 }
}

type NamedTrace = { id: string; isRecorded: boolean }

function followsTraceparent({ opentelemetry }: Metadata): boolean {
  const isOn = opentelemetry?.status === 'enabled'
  return isOn && (opentelemetry.exporter_otlp?.traces_propagators.includes('tracecontext') ?? false)
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

const B3_TRACE = /^(?:[\da-f]{16}){1,2}$/i

const W3C_PARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-([\da-f]{2})/i

const SET_TRACE = {
  name: 'set trace',
  text: `select set_config('hasura.tracecontext', $1, true)`,
  path: '$',
}
