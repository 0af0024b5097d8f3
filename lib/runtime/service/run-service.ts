import cluster from 'node:cluster'
import { format } from 'node:util'
import type { Express } from 'express'
import type { Registry } from 'prom-client'
import type { SharedConfig } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { errorCode } from '../error-code.ts'
import type { ErrorBody } from '../http/error-body.ts'
import { type Sockets, startListening, stopAllOnSignal } from '../http/serve.ts'
import { createLogger, type Log } from '../log/log.ts'
import { handOverMetrics, serveMetrics } from '../telemetry/metrics.ts'
import { startTracing } from '../telemetry/tracing.ts'
import type { ServiceContext } from './connect-hasura.ts'
import { runProcesses } from './run-processes.ts'

type Service<Config> = {
  /** The service's name in logs and traces. */
  name: string
  readConfig(environment: NodeJS.ProcessEnv): Config
  /** The address to listen on. */
  host(config: Config): string
  errorBody: ErrorBody
  /** Builds the apps, and the resources that their requests use. */
  start(config: Config, surroundings: ServiceContext): Promise<StartedService>
}

type StartedService = {
  apps: readonly { web: Express; port: number; sockets?: Sockets }[]
  metrics: { registry: Registry }
  /** Ends threads and connections. */
  close(): Promise<void>
}

/**
 * Runs a service until a signal ends it, in as many processes as configured. An error at the start ends the process.
 */
export async function runService<Config extends SharedConfig>(
  environment: NodeJS.ProcessEnv,
  service: Service<Config>,
): Promise<void> {
  try {
    const config = service.readConfig(environment)
    const log = createLogger(service.name, config.LOG_LEVEL)
    const place = { host: service.host(config), metricsPort: config.METRICS_PORT, log }
    if (config.PROCESSES > 1 && cluster.isPrimary)
      await runProcesses({ count: config.PROCESSES, ...place })
    else await startService(config, service, place)
  } catch (error) {
    const message = explainStart(error)
    process.stderr.write(`${format(message)}\n`)
    // Without `exit`, the metrics server, or another part that has started, would keep the process alive.
    process.exit(1)
  }
}

/** Returns the text for an error at the start. Faults that the operator can resolve have no stack. */
function explainStart(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message
  if (error instanceof Error && errorCode(error) === 'EADDRINUSE')
    return `${error.message}. Stop the program that uses the port, or choose another port.`
  return error
}

type Place = { host: string; metricsPort: number | undefined; log: Log }

async function startService<Config extends SharedConfig>(
  config: Config,
  { name, errorBody, start }: Service<Config>,
  { host, metricsPort, log }: Place,
) {
  const tracing = await startTracing({
    service: name,
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  })
  const { apps, metrics, close } = await start(config, { log, now: Date.now })
  const metricsServer = cluster.isPrimary
    ? await serveMetrics(metrics.registry, { service: name, host, port: metricsPort, log })
    : handOverMetrics(metrics.registry, { service: name })
  const drainMs = config.DRAIN_SECONDS * 1_000
  const servers = []
  for (const { web, ...options } of apps)
    servers.push(await startListening(web, { host, log, errorBody, drainMs, ...options }))
  stopAllOnSignal(servers, {
    log,
    async close() {
      await close()
      await metricsServer.close()
      await tracing.close()
    },
  })
}
