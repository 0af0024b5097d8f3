import { readConfig } from '../lib/runtime/config.ts'
import { restErrorBody } from '../lib/runtime/http/error-body.ts'
import { runService } from '../lib/runtime/service/run-service.ts'
import { createApp, createPricesApp } from './app.ts'
import { forwardSockets } from './proxy/sockets/forward-sockets.ts'
import { startServices } from './services.ts'

await runService(process.env, {
  name: 'webhooks',
  readConfig,
  host: (config) => config.WEBHOOKS_HOST,
  errorBody: restErrorBody,
  async start(config, { log, now }) {
    const services = await startServices(config, { log, now })
    const { metrics, close, hasura, baseUrl, trustedProxyHops, gate, callers, loop } = services
    const { WEBHOOKS_PORT: port, PRICES_PORT: pricesPort } = config
    const idleMs = config.WEBSOCKET_IDLE_SECONDS * 1_000
    const limits = { idleMs, trustedProxyHops, gate, callers, loop }
    const sockets = forwardSockets({ ...hasura, baseUrl, ...limits, log })
    const prices =
      pricesPort === undefined ? [] : [{ web: createPricesApp(services), port: pricesPort }]
    return { apps: [...prices, { web: createApp(services), port, sockets }], metrics, close }
  },
})
