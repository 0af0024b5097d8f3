import { createLogger } from '../../lib/runtime/log/log.ts'
import { stopOnSignal } from '../../lib/runtime/stop-on-signal.ts'
import { startTracing } from '../../lib/runtime/telemetry/tracing.ts'
import { readConfig } from './config.ts'
import { serveEngine } from './serve-engine.ts'

/**
 * Serves until this process is told to end.
 *
 * @param environment the settings, and the variables that the metadata names
 * @throws when it cannot start
 */
export async function runServer(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment)
  const log = createLogger('engine', config.logLevel)
  const tracing = await startTracing({
    service: 'engine',
    endpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: Number(environment.OTEL_TRACES_SAMPLER_ARG || 1),
  })
  const server = await serveEngine(config, log)
  return new Promise((resolve) => {
    stopOnSignal(log, async () => {
      await server.stop()
      await tracing.close()
      resolve()
    })
  })
}
