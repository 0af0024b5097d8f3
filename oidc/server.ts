import { readSignInConfig } from '../lib/runtime/config.ts'
import { runService } from '../lib/runtime/service/run-service.ts'
import { createSignInApp } from './app.ts'
import { signInErrorBody } from './errors/error-body.ts'
import { startServices } from './services.ts'

await runService(process.env, {
  name: 'oidc',
  readConfig: readSignInConfig,
  host: (config) => config.OIDC_HOST,
  errorBody: signInErrorBody,
  async start(config, surroundings) {
    const services = await startServices(config, surroundings)
    const { metrics, close } = services
    return { apps: [{ web: createSignInApp(services), port: config.OIDC_PORT }], metrics, close }
  },
})
