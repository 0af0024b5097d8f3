import type { Config } from '../lib/config.ts'
import { calling, hasura } from '../lib/graphql.ts'
import { groupContract } from '../lib/group-contract.ts'
import { hitCounts } from '../lib/hit-counts.ts'
import type { Log } from '../lib/log.ts'
import type { Services } from './app.ts'
import { MAIL_BATCH } from './deliver-mail.ts'
import { getSdk } from './generated/sdk.ts'
import { groupAddresses } from './group-addresses.ts'
import { loginTokens } from './login-token.ts'
import { mailer } from './mailer.ts'
import { passwords } from './passwords.ts'
import { makeLimits } from './rate-limits.ts'
import { startVerification } from './verification.ts'
import { verificationTokens } from './verification-token.ts'

type Running = Services & {
  /** Ends the threads and the connections. */
  close(): Promise<void>
}

type Surroundings = {
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Builds everything that the routes use, from the configuration alone; resolves when it is warm. */
export async function startServices(config: Config, { log, now }: Surroundings): Promise<Running> {
  const endpoint = config.HASURA_GRAPHQL_ENDPOINT
  const timeoutMs = config.HASURA_TIMEOUT_MS
  const adminSecret = config.HASURA_GRAPHQL_ADMIN_SECRET
  const client = hasura({ endpoint, adminSecret, timeoutMs })
  const graphql = getSdk(client, calling)
  const chain = groupContract({
    rpcUrl: config.CHAIN_RPC_URL,
    timeoutMs: config.CHAIN_TIMEOUT_MS,
    universalResolver: config.UNIVERSAL_RESOLVER_ADDRESS,
  })
  const addresses = groupAddresses({
    graphql,
    names: { production: config.GROUP_NAME_PRODUCTION, staging: config.GROUP_NAME_STAGING },
    resolve: chain.resolve,
    now,
  })
  const counts = hitCounts({
    settle: async (counted) => (await graphql.CountHits({ counted })).count_hits,
    onFailure: (err) => log.warn({ err }, 'rate limits are counted by this instance alone'),
    now,
    intervalMs: 200,
    maxKeys: 100_000,
  })
  const post = mailer({
    url: config.SMTP_URL,
    from: config.MAIL_FROM,
    concurrency: MAIL_BATCH,
    timeoutMs: config.SMTP_TIMEOUT_MS,
  })
  const hashing = await passwords({
    concurrency: config.PASSWORD_CONCURRENCY,
    maxQueue: config.PASSWORD_MAX_QUEUE,
  })
  const { verifier, close } = await startVerification(config, { addresses, chain, now })
  return {
    graphql,
    verifier,
    tokens: verificationTokens({
      graphql,
      keySecret: config.SIGNING_KEY_SECRET,
      issuer: config.BASE_URL,
      now,
    }),
    keySecret: config.SIGNING_KEY_SECRET,
    addresses,
    now,
    pepper: config.API_KEY_PEPPER,
    limits: makeLimits(config, counts),
    passwords: hashing,
    loginTokens: loginTokens({ secret: config.LOGIN_TOKEN_SECRET, issuer: config.BASE_URL, now }),
    verifyV1: {
      sunset: config.VERIFY_V1_SUNSET,
      successor: `${config.BASE_URL}/api/v2/verify`,
      now,
    },
    internalSecret: config.INTERNAL_SECRET,
    mailer: post,
    baseUrl: config.BASE_URL,
    hasura: { endpoint, timeoutMs },
    probes: {
      graphql: () => client.request('{ __typename }'),
      chain: async () => chain.queryRoot(await addresses.find('production'), 0n),
    },
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    log,
    async close() {
      await counts.close()
      await hashing.close()
      post.close()
      await close()
    },
  }
}
