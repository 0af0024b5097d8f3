import { stopOnSignal } from '../lib/process/stop-on-signal.ts'
import { createLogger } from '../lib/telemetry/log.ts'
import { startTracing } from '../lib/telemetry/tracing.ts'
import { readConfig } from './config.ts'
import { serveEngine } from './serve-engine.ts'

main(process.env).catch((error: unknown) => {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  process.stderr.write(`The engine cannot start. ${reason}\n`)
  process.exit(1)
})

async function main(environment: NodeJS.ProcessEnv) {
  const config = readConfig(environment)
  const log = createLogger('engine', config.logLevel)
  const tracing = await startTracing({
    service: 'engine',
    endpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT,
    ratio: Number(environment.OTEL_TRACES_SAMPLER_ARG || 1),
  })
  const server = await serveEngine(config, log)
  stopOnSignal(log, async () => {
    await server.stop()
    await tracing.close()
    process.exit(0)
  })
}
