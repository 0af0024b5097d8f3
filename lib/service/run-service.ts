import { format } from 'node:util'
import type { Express } from 'express'
import type { Registry } from 'prom-client'
import { ConfigError, type SharedConfig } from '../config.ts'
import type { ErrorBody } from '../http/error-body.ts'
import { type Sockets, startListening, stopAllOnSignal } from '../http/serve.ts'
import { createLogger } from '../telemetry/log.ts'
import { serveMetrics } from '../telemetry/metrics.ts'
import { startTracing } from '../telemetry/tracing.ts'
import type { Surroundings } from './connect-hasura.ts'

type Service<Config> = {
  /** In the logs and the traces. */
  name: string
  readConfig(environment: NodeJS.ProcessEnv): Config
  errorBody: ErrorBody
  /** Builds what the requests use, and the apps that answer them. */
  start(config: Config, surroundings: Surroundings): Promise<Started>
}

type Started = {
  host: string
  apps: readonly { web: Express; port: number; sockets?: Sockets }[]
  metrics: { registry: Registry }
  /** Ends threads and connections. */
  close(): Promise<void>
}

/** Runs a service in this process until the process is told to end; a fault of the start ends the process. */
export async function runService<Config extends SharedConfig>(
  environment: NodeJS.ProcessEnv,
  service: Service<Config>,
): Promise<void> {
  try {
    await startService(environment, service)
  } catch (error) {
    const message = error instanceof ConfigError ? error.message : error
    process.stderr.write(`${format(message)}\n`)
    // Whatever has started, such as the metrics server, would keep the process alive and make it look healthy.
    process.exit(1)
  }
}

async function startService<Config extends SharedConfig>(
  environment: NodeJS.ProcessEnv,
  { name, readConfig, errorBody, start }: Service<Config>,
) {
  const config = readConfig(environment)
  const log = createLogger(name, config.LOG_LEVEL)
  const tracing = await startTracing({
    service: name,
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  })
  const { host, apps, metrics, close } = await start(config, { log, now: Date.now })
  const { METRICS_PORT: port } = config
  const metricsServer = await serveMetrics(metrics.registry, { host, port, log })
  const servers = []
  for (const { web, ...listening } of apps)
    servers.push(await startListening(web, { host, log, errorBody, ...listening }))
  stopAllOnSignal(servers, {
    log,
    async close() {
      await close()
      await metricsServer.close()
      await tracing.close()
    },
  })
}
