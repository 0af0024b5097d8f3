import { readSignInConfig } from '../../../lib/runtime/config.ts'
import { createLogger } from '../../../lib/runtime/log/log.ts'
import { startServices } from '../../../oidc/services.ts'
import type { TestPlatform } from '../webhooks/start-platform.ts'
import { createWatchedServer } from './contract.ts'

/** Starts the sign-in server of a running platform at AUTH_URL. Returns a function that stops it. */
export async function serveSignIn(
  { env, db }: TestPlatform,
  settings: { AUTH_URL: string } & Record<string, string>,
): Promise<() => Promise<void>> {
  const config = readSignInConfig({
    ...env,
    DATABASE_URL: db.as('sign_in'),
    COOKIE_KEYS: 'the-cookie-key-of-these-tests-only',
    ...settings,
  })
  const log = createLogger('test', 'silent')
  const services = await startServices(config, { log, now: Date.now })
  const { server, expectDocumented } = createWatchedServer(services)
  const port = Number(new URL(settings.AUTH_URL).port)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await services.close()
    expectDocumented()
  }
}
