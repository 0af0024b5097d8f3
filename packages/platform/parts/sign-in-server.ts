import { join } from 'node:path'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { type ServerProcess, startServerProcess } from '../processes/server-process.ts'
import type { Settings } from '../settings/settings.ts'
import type { DatabaseUrls } from './database-roles.ts'
import { type RelyingParty, startRelyingParty } from './relying-party.ts'
import type { ServiceOptions } from './service-options.ts'

type SignInServer = ServiceOptions & Pick<DatabaseUrls, 'signInUrl'>

/** Returns the addresses of the sign-in server, the demo website and the simulator. */
export function signInAddresses({ OIDC_PORT, DEMO_PORT, SIMULATOR_PORT }: Settings['ports']) {
  return {
    authUrl: `http://localhost:${OIDC_PORT}`,
    demoUrl: `http://localhost:${DEMO_PORT}`,
    simulatorUrl: `http://localhost:${SIMULATOR_PORT}`,
  }
}

/** Starts the simulator's page, which is also this platform's wallet bridge. */
export function startSimulator({
  settings,
  rpcUrl,
  onEnd,
}: ServiceOptions): Promise<ServerProcess> {
  const { simulatorUrl } = signInAddresses(settings.ports)
  return startServerProcess({
    name: 'The simulator',
    entry: 'local/simulator/server.ts',
    env: {
      PORT: String(settings.ports.SIMULATOR_PORT),
      CHAIN_RPC_URL: rpcUrl,
      // The wallet asks the developer API for the relying party of a request of protocol 4.0.
      BASE_URL: `http://localhost:${settings.ports.WEBHOOKS_PORT}`,
    },
    logFile: join(settings.folder, 'logs', 'simulator.log'),
    healthUrl: `${simulatorUrl}/healthz`,
    onEnd,
  })
}

/** Starts the demo website that people sign in to. */
export function startDemoWebsite({
  settings,
  secrets,
}: Pick<ServiceOptions, 'settings' | 'secrets'>): Promise<RelyingParty> {
  return startRelyingParty({
    port: settings.ports.DEMO_PORT,
    authUrl: signInAddresses(settings.ports).authUrl,
    clientId: 'app_staging_00000000000000000000000000000001',
    clientSecret: secrets.demoClientSecret,
  })
}

/**
 * Enlarges V8's space for young objects (in MB; the default is 16). Then garbage collections are rare. Each collection copies the
 * data of all requests that wait for the database (docs/benchmarks.md).
 */
export const SIGN_IN_NODE_OPTIONS = ['--max-semi-space-size=64']

/** Starts the sign-in server, with the simulator as its wallet bridge. */
export function startSignInServer(options: SignInServer): Promise<ServerProcess> {
  const { settings, secrets, hasura, signInUrl, rpcUrl, verificationKeyFile, onEnd } = options
  const { authUrl, demoUrl, simulatorUrl } = signInAddresses(settings.ports)
  return startServerProcess({
    name: 'The sign-in server',
    entry: 'oidc/server.ts',
    nodeOptions: SIGN_IN_NODE_OPTIONS,
    env: {
      NODE_ENV: 'development',
      AUTH_URL: authUrl,
      OIDC_HOST: '127.0.0.1',
      OIDC_PORT: String(settings.ports.OIDC_PORT),
      METRICS_PORT: String(settings.ports.OIDC_METRICS_PORT),
      DATABASE_URL: signInUrl,
      HASURA_GRAPHQL_ENDPOINT: hasura.endpoint,
      HASURA_GRAPHQL_ADMIN_SECRET: hasura.adminSecret,
      COOKIE_KEYS: [secrets.cookieKey, secrets.earlierCookieKey].join(),
      CLIENT_SECRET_PEPPER: secrets.clientSecretPepper,
      SIGNING_KEY_SECRET: secrets.signingKeySecret,
      CHAIN_RPC_URL: rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      VERIFICATION_KEYS_STAGING: 'development,semaphore-v3-depth-30',
      DEVELOPMENT_KEY_FILE: verificationKeyFile,
      WALLET_BRIDGE_URL: simulatorUrl,
      SIMULATOR_URL: simulatorUrl,
      DEVELOPMENT_REDIRECT_URIS: [`${demoUrl}/callback`, ...settings.developmentRedirects].join(),
      LOCALHOST_REDIRECTS: 'true',
      ...settings.rateLimits,
    },
    logFile: join(settings.folder, 'logs', 'oidc.log'),
    healthUrl: `${authUrl}/readyz`,
    onEnd,
  })
}
