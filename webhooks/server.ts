import { ConfigError, readConfig } from '../lib/config.ts'
import { restErrorBody } from '../lib/http/error-body.ts'
import { serve } from '../lib/http/serve.ts'
import { logger } from '../lib/telemetry/log.ts'
import { serveMetrics } from '../lib/telemetry/metrics.ts'
import { startTracing } from '../lib/telemetry/tracing.ts'
import { app, pricesApp } from './app.ts'
import { forwardSockets } from './proxy/forward-sockets.ts'
import { startServices } from './services.ts'

try {
  const config = readConfig(process.env)
  const log = logger('webhooks', config.LOG_LEVEL)
  const tracing = await startTracing({
    service: 'webhooks',
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  })
  const services = await startServices(config, { log, now: Date.now })
  const { WEBHOOKS_HOST: host, WEBHOOKS_PORT: port, METRICS_PORT, PRICES_PORT } = config
  const idleMs = config.WEBSOCKET_IDLE_SECONDS * 1_000
  const sockets = forwardSockets({ ...services.hasura, idleMs, log })
  const metrics = await serveMetrics(services.metrics.registry, { host, port: METRICS_PORT, log })
  const close = async () => {
    await services.close()
    await metrics.close()
    await tracing.close()
  }
  const serving = { host, log, errorBody: restErrorBody }
  if (PRICES_PORT !== undefined)
    await serve(pricesApp(services), { ...serving, port: PRICES_PORT, close: async () => {} })
  await serve(app(services), { ...serving, port, sockets, close })
} catch (error) {
  const message = error instanceof ConfigError ? error.message : error
  console.error(message)
  // Whatever has started, such as the metrics server, would keep the process alive and make it look healthy.
  process.exit(1)
}
