import { createServer } from 'node:http'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Registry,
} from 'prom-client'
import type { observedHasuraCalls } from '../hasura/hasura-client.ts'
import type { Answered } from '../http/begin-request.ts'
import { listenOn } from '../http/listen.ts'
import type { Log } from '../log/log.ts'
import { lostLines } from '../log/log-output.ts'

/** In seconds: from an answer out of memory to the longest timeout. */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

export type Metrics = ReturnType<typeof createMetrics>

/** What every service measures; each adds its own metrics to the registry. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  new Counter({
    name: 'log_lines_lost_total',
    help: 'Lines of the log that could not be written: a full disk, or a reader that is slow or gone',
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
      help: 'From a request to its answer; status 499 when the caller did not wait for it',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
    graphqlSeconds: new Histogram({
      name: 'graphql_request_seconds',
      help: 'From a call to Hasura to its answer',
      labelNames: ['operation', 'outcome'],
      buckets: DURATION_BUCKETS,
      registers,
    }),
  }
}

/** Records each call that `observedHasuraCalls` reports. */
export function recordHasuraCalls({
  graphqlSeconds,
}: Metrics): Parameters<typeof observedHasuraCalls>[0] {
  return ({ operation, outcome, seconds }) =>
    graphqlSeconds.observe({ operation, outcome }, seconds)
}

/** Node accepts some forty methods; each would be a series of its own. */
const METHODS = new Set(['GET', 'POST', 'OPTIONS'])

/** Records how each request was answered. */
export function recordAnswers({ requestSeconds }: Metrics) {
  return ({ method, route, status, ms }: Answered) => {
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
 * What Node knows about its process. Every program with Prometheus's client library has metrics of these names, so here each
 * has a label that only this platform's have, with the name of the service. Not `service`: the Prometheus operator puts the
 * name of the Kubernetes Service there. The other metrics have names of their own, and thousands of rows, and go without.
 */
function measureProcess(registry: Registry, service: string) {
  collectDefaultMetrics({ register: registry, labels: { personhood_service: service } })
}

/**
 * Serves the metrics, and what Node knows about its process, in Prometheus's format.
 *
 * On a port of its own, so that the public port need not hide them.
 *
 * @param options.service its name, a label of what Node knows
 * @param options.port when unset, nothing is served, nor is the process measured
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

/** Leaves it to the process that started this one to serve the metrics, with those of the others. */
export function handOverMetrics(registry: Registry, { service }: { service: string }) {
  measureProcess(registry, service)
  AggregatorRegistry.setRegistries([registry])
  // Answers the other process from now on.
  new AggregatorRegistry()
  return NOT_SERVED
}

/** Serves metrics that are read when somebody asks for them; the answer is 503 when that fails, such as when a process hangs. */
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
