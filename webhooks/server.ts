import { ConfigError, readConfig } from '../lib/config.ts'
import { logger } from '../lib/log.ts'
import { serve } from '../lib/serve.ts'
import { app } from './app.ts'
import { forwardSockets } from './forward-sockets.ts'
import { startServices } from './services.ts'

try {
  const config = readConfig(process.env)
  const log = logger('webhooks', config.LOG_LEVEL)
  const services = await startServices(config, { log, now: Date.now })
  const { WEBHOOKS_HOST: host, WEBHOOKS_PORT: port } = config
  const idleMs = config.WEBSOCKET_IDLE_SECONDS * 1_000
  const sockets = forwardSockets({ ...services.hasura, idleMs, log })
  await serve(app(services), { host, port, log, sockets, close: services.close })
} catch (error) {
  const message = error instanceof ConfigError ? error.message : error
  console.error(message)
  process.exitCode = 1
}
