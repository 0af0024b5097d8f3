import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Span, SpanContext, Tracer } from '@opentelemetry/api'

export type Tracing = {
  /** Sends the spans that have not been sent yet. */
  close(): Promise<void>
}

type Options = {
  service: string
  /** Where a collector takes OTLP over HTTP; the exporter reads how from `OTEL_EXPORTER_OTLP_…` itself. */
  endpoint: string | undefined
  /** The share of the traces beginning here that is kept; 0 to 1. */
  ratio: number
}

/** Nothing is traced, and OpenTelemetry is not even loaded. */
const OFF: Tracing = { close: async () => {} }

/**
 * Traces every request to this process, and every call that it makes, when `endpoint` is set.
 *
 * Node itself announces both on its diagnostics channels, so that no other code knows of tracing. Calls
 * carry `traceparent` (W3C Trace Context), with which Hasura continues the trace.
 */
export async function startTracing({ service, endpoint, ratio }: Options): Promise<Tracing> {
  if (!endpoint) return OFF
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } = await import('@opentelemetry/api')
  const provider = await startProvider(service, ratio)
  const tracer: Tracer = provider.getTracer(service)
  const current = new AsyncLocalStorage<Span>()
  const calls = new WeakMap<object, Span>()
  const served = new WeakMap<IncomingMessage, Span>()
  const collector = new URL(endpoint).host

  on<Served>('http.server.request.start', ({ request }) => {
    const parent = parseTraceparent(request.headers.traceparent)
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = tracer.startSpan(request.method ?? '', { kind: SpanKind.SERVER }, context)
    served.set(request, span)
    current.enterWith(span)
  })
  on<Served>('http.server.response.finish', ({ request, response }) => {
    const span = served.get(request)
    // Only the route: a path may hold private data, and each path would be a span name of its own.
    const route = routeOf(request)
    if (route) span?.updateName(`${request.method} ${route}`)
    span?.setAttributes({
      'http.request.method': request.method ?? '',
      'http.response.status_code': response.statusCode,
      'request.id': String(response.getHeader('x-request-id') ?? ''),
      ...(route && { 'http.route': route }),
    })
    if (response.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
  on<Called>('http.client.request.created', ({ request }) => {
    const span = startCall(
      request.method,
      `${request.protocol}//${request.getHeader('host')}`,
      request.path,
    )
    if (!span) return
    calls.set(request, span)
    request.setHeader('traceparent', formatTraceparent(span.spanContext()))
  })
  on<Called>('http.client.response.finish', ({ request, response }) => {
    endCall(request, response?.statusCode)
  })
  on<Called>('http.client.request.error', ({ request }) => endCall(request, undefined))
  // The same for `fetch`.
  on<Fetched>('undici:request:create', ({ request }) => {
    const span = startCall(request.method, String(request.origin), request.path)
    if (!span) return
    calls.set(request, span)
    request.addHeader('traceparent', formatTraceparent(span.spanContext()))
  })
  on<Fetched>('undici:request:headers', ({ request, response }) => {
    endCall(request, response?.statusCode)
  })
  on<Fetched>('undici:request:error', ({ request }) => endCall(request, undefined))

  // The engine's round trips to the database.
  on<object>('tracing:postgres:start', (trip) => {
    const parent = current.getStore()
    const options = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }
    if (!parent) return
    calls.set(trip, tracer.startSpan('postgres', options, trace.setSpan(ROOT_CONTEXT, parent)))
  })
  on<object>('tracing:postgres:asyncEnd', (trip) => calls.get(trip)?.end())

  function startCall(method: string, origin: string, path: string): Span | null {
    const parent = current.getStore()
    const { host } = new URL(origin)
    if (!parent || host === collector) return null
    return tracer.startSpan(
      `${method} ${host}`,
      {
        kind: SpanKind.CLIENT,
        attributes: { 'server.address': host, 'url.path': path.split('?')[0] ?? '' },
      },
      trace.setSpan(ROOT_CONTEXT, parent),
    )
  }

  function endCall(request: object, status: number | undefined) {
    const span = calls.get(request)
    if (status !== undefined) span?.setAttribute('http.response.status_code', status)
    else span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    calls.delete(request)
  }

  return { close: () => provider.shutdown() }
}

async function startProvider(service: string, ratio: number) {
  const sdk = await import('@opentelemetry/sdk-trace')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  return new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  })
}

type Served = { request: IncomingMessage; response: ServerResponse }
type Called = { request: ClientRequest; response?: IncomingMessage }
type Fetched = {
  request: {
    method: string
    origin: unknown
    path: string
    addHeader(name: string, value: string): void
  }
  response?: { statusCode: number }
}

/** The messages of each channel are in Node's documentation, but not in its types. */
function on<Message>(channel: string, listen: (message: Message) => void) {
  subscribe(channel, (message) => listen(message as Message))
}

/** Express sets it once it has found the route. */
function routeOf(request: IncomingMessage): string | null {
  const route: unknown = Object(request).route?.path
  return typeof route === 'string' ? route : null
}

/** @see https://www.w3.org/TR/trace-context/#traceparent-header */
function parseTraceparent(header: unknown): SpanContext | null {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(header)) ?? []
  if (!traceId || !spanId || !flags) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}

function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}
