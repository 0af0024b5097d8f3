import { randomBytes } from 'node:crypto'
import type { Metadata } from '../../metadata/metadata.ts'
import type { ClientHeaders } from '../../session/client.ts'
import type { PreparedStatement } from '../database/execute.ts'

/** A trace, our span in it, and whether it is recorded (`1`) or not (`0`). */
type TraceContext = { trace_id: string; span_id: string; sampling_state: '0' | '1' }

/**
 * The trace that a client's request is part of: the one that it names, or else a new one. As in Hasura, the header of the
 * W3C counts only where the metadata says so.
 *
 * @see https://github.com/openzipkin/b3-propagation
 * @see https://www.w3.org/TR/trace-context/
 */
export function traceContext(headers: ClientHeaders, metadata: Metadata): TraceContext {
  const named = namedTrace(headers, metadata)
  return {
    trace_id: named?.id ?? randomHex(16),
    span_id: randomHex(8),
    sampling_state: named?.isRecorded === false ? '0' : '1',
  }
}

/**
 * The statement that sets the trace for the rest of the transaction: triggers read it as
 * `current_setting('hasura.tracecontext')`, and events contain it. Null when the request names no trace:
 * then the first event makes one, if there is any (scheduler/row-trigger-sql.ts).
 */
export function traceStatement(
  headers: ClientHeaders,
  metadata: Metadata,
): PreparedStatement | null {
  if (namedTrace(headers, metadata) === undefined) return null
  const text = JSON.stringify(traceContext(headers, metadata))
  return { ...TELL, parameters: [{ read: () => text }] }
}

/** The trace that the headers name. A trace is recorded unless they say otherwise. */
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

const TELL = {
  name: 'tell trace',
  text: `select set_config('hasura.tracecontext', $1, true)`,
  path: '$',
}
