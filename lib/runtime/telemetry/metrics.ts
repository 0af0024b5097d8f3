import { createServer } from 'node:http'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Registry,
} from 'prom-client'
import type { observeHasuraCalls } from '../hasura/hasura-client.ts'
import type { RequestOutcome } from '../http/begin-request.ts'
import { listenOn } from '../http/listen.ts'
import type { Log } from '../log/log.ts'
import { lostLines } from '../log/log-output.ts'

/** The bounds of the histograms of durations, in seconds. */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the metrics that every service has. A service adds further metrics to the registry. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Log lines that could not be written: the disk is full, or the reader is slow or gone',
    registers,
    collect() {
      this.reset()
      this.inc(lostLines())
    },
  })
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_request_seconds',
      help: 'Time from a request to its response; status 499 if the caller disconnected first',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    refusedRequests: new Counter({
      name: 'request_log_requests_total',
      help: 'Refused requests for the request log of an app: `stored`, or `dropped` because the log was full or could not be written',
      labelNames: ['outcome'],
      registers,
    }),
    graphqlSeconds: new Histogram({
      name: 'graphql_request_seconds',
      help: 'Time from a call to Hasura to its response',
      labelNames: ['operation', 'outcome'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
  }
}

/** Records each call that `observeHasuraCalls` reports. */
export function recordHasuraCalls({
  graphqlSeconds,
}: Metrics): Parameters<typeof observeHasuraCalls>[0] {
  return ({ operation, outcome, seconds }) =>
    graphqlSeconds.observe({ operation, outcome }, seconds)
}

/** The methods with a separate label. Node accepts some forty methods, and each label makes a separate time series. */
const METHODS = new Set(['GET', 'POST', 'OPTIONS'])

/** Records the outcome and the duration of each request. */
export function recordAnswers({ requestSeconds }: Metrics) {
  return ({ method, route, status, ms }: RequestOutcome) => {
    const labels = {
      method: METHODS.has(method) ? method : 'other',
      route: route ?? 'none',
      status,
    }
    requestSeconds.observe(labels, ms / 1_000)
  }
}

type Options = { host: string; port: number | undefined; log: Log }

/**
 * Registers the metrics of the Node process. Every program with Prometheus's client library has metrics with these
 * names, so the label `personhood_service` marks ours. The label is not `service`, since the Prometheus operator puts
 * the name of the Kubernetes Service there. Our other metrics have unique names and do not need the label.
 */
function measureProcess(registry: Registry, service: string) {
  collectDefaultMetrics({ register: registry, labels: { personhood_service: service } })
}

/**
 * Serves the metrics of the service and of its Node process in Prometheus's format, on a separate port that is not
 * public.
 *
 * @param options.service the label of the process's metrics
 * @param options.port if undefined, nothing is measured or served
 * @throws when the address is in use
 */
export async function serveMetrics(
  registry: Registry,
  { service, ...options }: Options & { service: string },
) {
  if (options.port !== undefined) measureProcess(registry, service)
  const { contentType } = registry
  return serveMetricsText({ contentType, read: () => registry.metrics() }, options)
}

/** Lets the parent process serve the metrics of all processes together. */
export function handOverMetrics(registry: Registry, { service }: { service: string }) {
  measureProcess(registry, service)
  AggregatorRegistry.setRegistries([registry])
  // Registers the listener that answers the parent process.
  new AggregatorRegistry()
  return NOT_SERVED
}

/**
 * Serves metrics, which `read` collects for each request. Answers 503 if `read` fails, for example if a process hangs.
 */
export async function serveMetricsText(
  { contentType, read }: { contentType: string; read: () => Promise<string> },
  { host, port, log }: Options,
) {
  if (port === undefined) return NOT_SERVED
  const logFailure = (err: unknown) => {
    log.warn({ err }, 'the metrics could not be read')
    return null
  }
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const text = await read().catch(logFailure)
    response.writeHead(text === null ? 503 : 200, { 'content-type': contentType }).end(text)
  })
  await listenOn(server, { host, port })
  log.info({ address: server.address() }, 'serving metrics')
  return {
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const NOT_SERVED = { close: async () => {} }
