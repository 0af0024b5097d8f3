import { join } from 'node:path'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { startServerProcess } from '../processes/server-process.ts'
import type { Settings } from '../settings/settings.ts'
import { protocol4Environment } from './protocol-4-environment.ts'
import type { ServiceOptions } from './service-options.ts'

type DeveloperApi = ServiceOptions & {
  baseUrl: string
  authUrl: string
  simulatorUrl: string
  smtpUrl: string
  /** The page with the mail that the platform has sent. */
  mailUrl: string
  /** The portal's built files. */
  portalFolder: string
  /** The variables of payments and prices (payment-environment.ts). */
  payments: Record<string, string>
}

/** Starts the developer API in a child process. */
export function startDeveloperApi({
  settings,
  secrets,
  hasura,
  baseUrl,
  ...options
}: DeveloperApi) {
  return startServerProcess({
    name: 'The developer API',
    entry: 'webhooks/server.ts',
    env: {
      NODE_ENV: 'development',
      BASE_URL: baseUrl,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(settings.ports.WEBHOOKS_PORT),
      METRICS_PORT: String(settings.ports.METRICS_PORT),
      HASURA_GRAPHQL_ENDPOINT: hasura.endpoint,
      HASURA_GRAPHQL_ADMIN_SECRET: hasura.adminSecret,
      API_KEY_PEPPER: secrets.apiKeyPepper,
      CLIENT_SECRET_PEPPER: secrets.clientSecretPepper,
      LOGIN_TOKEN_SECRET: secrets.loginTokenSecret,
      INTERNAL_SECRET: secrets.internalSecret,
      SMTP_URL: options.smtpUrl,
      // The limit is high, because the requests of all simulated people come from one IP address.
      RATE_LIMIT_VERIFY: '60000/60',
      ...settings.rateLimits,
      CHAIN_RPC_URL: options.rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      ...options.payments,
      VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30',
      DEVELOPMENT_KEY_FILE: options.verificationKeyFile,
      ...protocol4Environment(options),
      VERIFY_V1_SUNSET: 'never',
      SIGNING_KEY_SECRET: secrets.signingKeySecret,
      AUTH_URL: options.authUrl,
      WALLET_BRIDGE_URL: options.simulatorUrl,
      SIMULATOR_URL: options.simulatorUrl,
      PORTAL_FOLDER: options.portalFolder,
      START_PAGE_FILE: startPageFile(settings),
      MAIL_PAGE_URL: options.mailUrl,
    },
    logFile: join(settings.folder, 'logs', 'webhooks.log'),
    healthUrl: `${baseUrl}/readyz`,
    onEnd: options.onEnd,
  })
}

/** Returns the file of the page that the developer API serves at `/local`. A start writes the file when all parts run. */
export function startPageFile({ folder }: Settings): string {
  return join(folder, 'start-page.html')
}
