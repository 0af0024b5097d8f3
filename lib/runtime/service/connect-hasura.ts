import type { GraphQLClient } from 'graphql-request'
import type { SharedConfig } from '../config.ts'
import { type callHasura, createHasuraClient, observeHasuraCalls } from '../hasura/hasura-client.ts'
import { createHitCounts, type HitCounts, type Hits } from '../limits/rate-counts.ts'
import type { Log } from '../log/log.ts'
import { type Metrics, recordHasuraCalls } from '../telemetry/metrics.ts'

/** The log and the clock of a service. */
export type ServiceContext = {
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The operation that adds hits to the shared counts of all instances. Each service's SDK has it. */
type HitCountingSdk = {
  CountHits(variables: { counted: Hits[] }): Promise<{ count_hits: Hits[] }>
}

type Options<Sdk> = ServiceContext & {
  metrics: Metrics
  /** The SDK that was generated from the service's operations. */
  getSdk(client: GraphQLClient, wrapper: typeof callHasura): Sdk
}

/** A service's connection to Hasura. The calls of `graphql` are measured; the calls of `client` and `probe` are not. */
export type HasuraConnection<Sdk> = {
  client: GraphQLClient
  graphql: Sdk
  /** The counts of the rate limits, shared by all instances. */
  counts: HitCounts
  /** Looks up a row that does not exist; resolves if Hasura and its database answer. */
  probe(): Promise<unknown>
}

/** Creates a client of Hasura, the service's SDK, and the counts of the rate limits. */
export function connectHasura<Sdk extends HitCountingSdk>(
  config: SharedConfig,
  { metrics, getSdk, log, now }: Options<Sdk>,
): HasuraConnection<Sdk> {
  const client = createHasuraClient({
    endpoint: config.HASURA_GRAPHQL_ENDPOINT,
    adminSecrets: config.HASURA_GRAPHQL_ADMIN_SECRET,
    timeoutMs: config.HASURA_TIMEOUT_MS,
  })
  const graphql = getSdk(client, observeHasuraCalls(recordHasuraCalls(metrics)))
  const counts = createHitCounts({
    settle: async (hits) => (await graphql.CountHits({ counted: hits })).count_hits,
    onFailure: (err) => log.warn({ err }, 'this instance counts rate limits alone'),
    now,
    intervalMs: 200,
    maxKeys: 100_000,
  })
  return { client, graphql, counts, probe: () => client.request(PROBE) }
}

const PROBE = '{ app_by_pk(id: "") { id } }'
