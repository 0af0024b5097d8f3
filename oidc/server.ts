import { readSignInConfig } from '../lib/config.ts'
import { runService } from '../lib/service/run-service.ts'
import { signInApp } from './app.ts'
import { signInErrorBody } from './errors/error-body.ts'
import { startServices } from './services.ts'

await runService(process.env, {
  name: 'oidc',
  readConfig: readSignInConfig,
  errorBody: signInErrorBody,
  async start(config, surroundings) {
    const services = await startServices(config, surroundings)
    const { OIDC_HOST: host, OIDC_PORT: port } = config
    const { metrics, close } = services
    return { host, apps: [{ web: signInApp(services), port }], metrics, close }
  },
})
