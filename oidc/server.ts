import { ConfigError, readSignInConfig } from '../lib/config.ts'
import { serve } from '../lib/http/serve.ts'
import { logger } from '../lib/telemetry/log.ts'
import { serveMetrics } from '../lib/telemetry/metrics.ts'
import { startTracing } from '../lib/telemetry/tracing.ts'
import { app } from './app.ts'
import { signInErrorBody } from './errors/error-body.ts'
import { startServices } from './services.ts'

try {
  const config = readSignInConfig(process.env)
  const log = logger('oidc', config.LOG_LEVEL)
  const tracing = await startTracing({
    service: 'oidc',
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
  })
  const services = await startServices(config, { log, now: Date.now })
  const { OIDC_HOST: host, OIDC_PORT: port, METRICS_PORT } = config
  const metrics = await serveMetrics(services.metrics.registry, { host, port: METRICS_PORT, log })
  const close = async () => {
    await services.close()
    await metrics.close()
    await tracing.close()
  }
  await serve(app(services), { host, port, log, errorBody: signInErrorBody, close })
} catch (error) {
  const message = error instanceof ConfigError ? error.message : error
  console.error(message)
  // Parts that have already started, such as the metrics, would keep the process alive, and a supervisor
  // would believe that it works.
  process.exit(1)
}
