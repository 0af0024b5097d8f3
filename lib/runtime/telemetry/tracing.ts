import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Attributes, Span, SpanContext, Tracer } from '@opentelemetry/api'
import { routePath } from '../http/route-path.ts'
import { present } from '../present.ts'

export type Tracing = {
  /** Sends the spans that have not been sent yet. */
  close(): Promise<void>
}

type Options = {
  service: string
  /** Where a collector takes OTLP over HTTP; the exporter reads the `OTEL_EXPORTER_OTLP_…` variables itself. */
  endpoint: string | undefined
  /** The share of the traces that begin here which is kept, from 0 to 1. */
  ratio: number
}

/** Nothing is traced, and OpenTelemetry is not even loaded. */
const OFF: Tracing = { close: async () => {} }

/**
 * Traces every request to this process, and every call that it makes, when `endpoint` is set.
 *
 * Node announces both on its diagnostics channels, so no other code knows of tracing. Calls
 * carry `traceparent` (W3C Trace Context), with which Hasura continues the trace.
 */
export async function startTracing({ service, endpoint, ratio }: Options): Promise<Tracing> {
  if (!endpoint) return OFF
  const api = await import('@opentelemetry/api')
  const provider = await startProvider(service, ratio)
  const tracer = provider.getTracer(service)
  const recorder = { api, tracer, served: new AsyncLocalStorage<Span>() }
  traceRequests(recorder)
  traceCalls(recorder, new URL(endpoint).host)
  traceRoundTrips(recorder)
  return { close: () => provider.shutdown() }
}

type Recorder = {
  api: typeof import('@opentelemetry/api')
  tracer: Tracer
  /** The span of the request that is being answered. */
  served: AsyncLocalStorage<Span>
}

/** Makes a span of each request to this process. */
function traceRequests({ api, tracer, served }: Recorder) {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const spans = new WeakMap<IncomingMessage, Span>()
  onMessage<Served>('http.server.request.start', ({ request }) => {
    const parent = parseTraceparent(request.headers.traceparent)
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = tracer.startSpan(methodOf(request), { kind: SpanKind.SERVER }, context)
    spans.set(request, span)
    served.enterWith(span)
  })
  onMessage<Served>('http.server.response.finish', ({ request, response }) => {
    const span = spans.get(request)
    // Only the route: a path may hold private data, and each path would be a span name of its own.
    const route = routePath(request)
    if (route) span?.updateName(`${request.method} ${route}`)
    span?.setAttributes({
      'http.request.method': methodOf(request),
      'http.response.status_code': response.statusCode,
      'request.id': String(response.getHeader('x-request-id') ?? ''),
      ...(route && { 'http.route': route }),
    })
    if (response.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
  })
}

/** A request that a server has read always has a method; Node's type also stands for answers. */
function methodOf({ method }: IncomingMessage): string {
  return present(method, 'the method of a request')
}

/** Makes a span of each call for a request, by `node:http` or `fetch`, except those to the collector. */
function traceCalls(recorder: Recorder, collector: string) {
  const { SpanStatusCode } = recorder.api
  const spans = new WeakMap<object, Span>()

  onMessage<Called>('http.client.request.created', ({ request }) => {
    const origin = `${request.protocol}//${request.getHeader('host')}`
    begin(request, { method: request.method, origin, path: request.path }, (value) =>
      request.setHeader('traceparent', value),
    )
  })
  onMessage<Called>('http.client.response.finish', ({ request, response }) => {
    end(request, response?.statusCode)
  })
  onMessage<Called>('http.client.request.error', ({ request }) => end(request, undefined))

  onMessage<Fetched>('undici:request:create', ({ request }) => {
    const { method, origin, path } = request
    begin(request, { method, origin: String(origin), path }, (value) =>
      request.addHeader('traceparent', value),
    )
  })
  onMessage<Fetched>('undici:request:headers', ({ request, response }) => {
    end(request, response?.statusCode)
  })
  onMessage<Fetched>('undici:request:error', ({ request }) => end(request, undefined))

  function begin(request: object, { method, origin, path }: Call, pass: (value: string) => void) {
    const { host } = new URL(origin)
    if (host === collector) return
    const span = startChild(recorder, `${method} ${host}`, {
      'server.address': host,
      'url.path': path.replace(/\?.*$/s, ''),
    })
    if (!span) return
    spans.set(request, span)
    pass(formatTraceparent(span.spanContext()))
  }

  function end(request: object, status: number | undefined) {
    const span = spans.get(request)
    if (status !== undefined) span?.setAttribute('http.response.status_code', status)
    else span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    spans.delete(request)
  }
}

type Call = { method: string; origin: string; path: string }

/** Makes a span of each round trip of the engine to the database. */
function traceRoundTrips(recorder: Recorder) {
  const spans = new WeakMap<object, Span>()
  onMessage<object>('tracing:postgres:start', (trip) => {
    const span = startChild(recorder, 'postgres', { 'db.system.name': 'postgresql' })
    if (span) spans.set(trip, span)
  })
  onMessage<object>('tracing:postgres:asyncEnd', (trip) => spans.get(trip)?.end())
}

/** A span within that of the request being answered; null outside of one. */
function startChild({ api, tracer, served }: Recorder, name: string, attributes: Attributes) {
  const { ROOT_CONTEXT, SpanKind, trace } = api
  const parent = served.getStore()
  if (!parent) return null
  const options = { kind: SpanKind.CLIENT, attributes }
  return tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent))
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
function onMessage<Message>(channel: string, listen: (message: Message) => void) {
  subscribe(channel, (message) => listen(message as Message))
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
