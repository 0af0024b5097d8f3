import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Answered } from './edge.ts'
import type { observedCalling } from './graphql.ts'
import type { Log } from './log.ts'

/** From what a cache answers to the longest time-out. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Metrics = ReturnType<typeof makeMetrics>

/** What every service measures about itself; each adds its own to the registry. */
export function makeMetrics() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_request_seconds',
      help: 'From a request to its answer; status 499 when the caller did not wait for it',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers,
    }),
    graphqlSeconds: new Histogram({
      name: 'graphql_request_seconds',
      help: 'From a call to Hasura to its answer',
      labelNames: ['operation', 'outcome'],
      buckets: SECONDS,
      registers,
    }),
  }
}

/** Tells the histogram of calls to Hasura what `observedCalling` observes. */
export function observeGraphql({ graphqlSeconds }: Metrics): Parameters<typeof observedCalling>[0] {
  return ({ operation, outcome, seconds }) =>
    graphqlSeconds.observe({ operation, outcome }, seconds)
}

/** Node takes any of some forty methods; each name would be a row of its own. */
const METHODS = new Set(['GET', 'POST', 'OPTIONS'])

/** Tells the histogram of requests how each was answered. */
export function observeRequest({ requestSeconds }: Metrics) {
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
 * Serves what is measured, and what Node knows about its process, as Prometheus reads it.
 *
 * On a port of its own, so that it need not be kept from those who use the service.
 *
 * @param options.port unset, nothing is served, and nothing is measured that costs anything
 * @throws when the address is in use
 */
export async function serveMetrics(registry: Registry, { host, port, log }: Options) {
  if (port === undefined) return { close: async () => {} }
  collectDefaultMetrics({ register: registry })
  const server = createServer(async (request, response) => {
    const isAsked = request.method === 'GET' && request.url === '/metrics'
    const text = isAsked ? await registry.metrics() : ''
    response.writeHead(isAsked ? 200 : 404, { 'content-type': registry.contentType }).end(text)
  })
  await listen(server, { host, port })
  log.info({ address: server.address() }, 'serving metrics')
  return {
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server, at: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(at, resolve)
  })
}
