import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Attributes, Span, SpanContext, Tracer } from '@opentelemetry/api'
import { routePath } from '../http/route-path.ts'
import { requireValue } from '../require-value.ts'

export type Tracing = {
  /** Sends the remaining spans. */
  close(): Promise<void>
}

type Options = {
  service: string
  /** The OTLP collector over HTTP. The exporter itself reads the `OTEL_EXPORTER_OTLP_…` variables. */
  endpoint: string | undefined
  /** The part of the traces to record, from 0 to 1, for requests that do not continue the caller's trace. */
  ratio: number
}

/** Without an endpoint, OpenTelemetry is not even loaded. */
const OFF: Tracing = { close: async () => {} }

/**
 * Traces requests to this process, and the calls that the process makes during a request, if `endpoint` is set.
 *
 * Node reports both on its diagnostics channels, so no other code depends on tracing. The calls have the header
 * `traceparent` (W3C Trace Context), with which Hasura continues the trace.
 */
export async function startTracing({ service, endpoint, ratio }: Options): Promise<Tracing> {
  if (!endpoint) return OFF
  const api = await import('@opentelemetry/api')
  const provider = await startProvider(service, ratio)
  const tracer = provider.getTracer(service)
  const recorder = { api, tracer, requestSpan: new AsyncLocalStorage<Span>() }
  traceRequests(recorder)
  traceCalls(recorder, new URL(endpoint).host)
  traceRoundTrips(recorder)
  return { close: () => provider.shutdown() }
}

type Recorder = {
  api: typeof import('@opentelemetry/api')
  tracer: Tracer
  /** The span of the current request. */
  requestSpan: AsyncLocalStorage<Span>
}

/** Records a span for each request to this process. */
function traceRequests({ api, tracer, requestSpan }: Recorder) {
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const spans = new WeakMap<IncomingMessage, Span>()
  onMessage<ServerMessage>('http.server.request.start', ({ request }) => {
    const parent = parseTraceparent(request.headers.traceparent)
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
    const span = tracer.startSpan(methodOf(request), { kind: SpanKind.SERVER }, context)
    spans.set(request, span)
    requestSpan.enterWith(span)
  })
  onMessage<ServerMessage>('http.server.response.finish', ({ request, response }) => {
    const span = spans.get(request)
    // Not the path: it may contain private data, and each path would be a separate span name.
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

/** A request to a server always has a method. The type allows none, because Node also uses it for responses. */
function methodOf({ method }: IncomingMessage): string {
  return requireValue(method, 'the method of a request')
}

/** Records a span for each call that is made during a request (`node:http`, `fetch`), except calls to the collector. */
function traceCalls(recorder: Recorder, collector: string) {
  const { SpanStatusCode } = recorder.api
  const spans = new WeakMap<object, Span>()

  onMessage<HttpCallMessage>('http.client.request.created', ({ request }) => {
    const origin = `${request.protocol}//${request.getHeader('host')}`
    begin(request, { method: request.method, origin, path: request.path }, (value) =>
      request.setHeader('traceparent', value),
    )
  })
  onMessage<HttpCallMessage>('http.client.response.finish', ({ request, response }) => {
    end(request, response?.statusCode)
  })
  onMessage<HttpCallMessage>('http.client.request.error', ({ request }) => end(request, undefined))

  onMessage<FetchMessage>('undici:request:create', ({ request }) => {
    const { method, origin, path } = request
    begin(request, { method, origin: String(origin), path }, (value) =>
      request.addHeader('traceparent', value),
    )
  })
  onMessage<FetchMessage>('undici:request:headers', ({ request, response }) => {
    end(request, response?.statusCode)
  })
  onMessage<FetchMessage>('undici:request:error', ({ request }) => end(request, undefined))

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

/** Records a span for each round trip from the GraphQL engine to the database. */
function traceRoundTrips(recorder: Recorder) {
  const spans = new WeakMap<object, Span>()
  onMessage<object>('tracing:postgres:start', (trip) => {
    const span = startChild(recorder, 'postgres', { 'db.system.name': 'postgresql' })
    if (span) spans.set(trip, span)
  })
  onMessage<object>('tracing:postgres:asyncEnd', (trip) => spans.get(trip)?.end())
}

/** Starts a span inside the span of the current request; returns null outside of a request. */
function startChild({ api, tracer, requestSpan }: Recorder, name: string, attributes: Attributes) {
  const { ROOT_CONTEXT, SpanKind, trace } = api
  const parent = requestSpan.getStore()
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

type ServerMessage = { request: IncomingMessage; response: ServerResponse }
type HttpCallMessage = { request: ClientRequest; response?: IncomingMessage }
type FetchMessage = {
  request: {
    method: string
    origin: unknown
    path: string
    addHeader(name: string, value: string): void
  }
  response?: { statusCode: number }
}

/** Subscribes to a channel. Node documents the messages of its channels but has no types for them. */
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
