import type { GraphQLClient } from 'graphql-request'
import type { SharedConfig } from '../config.ts'
import {
  type callHasura,
  createHasuraClient,
  observedHasuraCalls,
} from '../hasura/hasura-client.ts'
import { createHitCounts, type HitCounts, type Hits } from '../limits/rate-counts.ts'
import type { Log } from '../log/log.ts'
import { type Metrics, recordHasuraCalls } from '../telemetry/metrics.ts'

/** What a service is built with, besides its configuration. */
export type Surroundings = {
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The operation of each service's GraphQL that adds hits to those of all instances. */
type CountsHits = {
  CountHits(variables: { counted: Hits[] }): Promise<{ count_hits: Hits[] }>
}

type Options<Sdk> = Surroundings & {
  metrics: Metrics
  /** As generated from the service's operations. */
  getSdk(client: GraphQLClient, wrapper: typeof callHasura): Sdk
}

/** A service's way to the database: through Hasura, measured. */
export type HasuraConnection<Sdk> = {
  client: GraphQLClient
  graphql: Sdk
  /** What the rate limits count, shared with all instances. */
  counts: HitCounts
  /** Resolves when Hasura answers from the database: it looks up a row that does not exist. */
  probe(): Promise<unknown>
}

/** What every service begins with: a client of Hasura, its operations, and the counts of its rate limits. */
export function connectHasura<Sdk extends CountsHits>(
  config: SharedConfig,
  { metrics, getSdk, log, now }: Options<Sdk>,
): HasuraConnection<Sdk> {
  const client = createHasuraClient({
    endpoint: config.HASURA_GRAPHQL_ENDPOINT,
    adminSecrets: config.HASURA_GRAPHQL_ADMIN_SECRET,
    timeoutMs: config.HASURA_TIMEOUT_MS,
  })
  const graphql = getSdk(client, observedHasuraCalls(recordHasuraCalls(metrics)))
  const counts = createHitCounts({
    settle: async (counted) => (await graphql.CountHits({ counted })).count_hits,
    onFailure: (err) => log.warn({ err }, 'rate limits are counted by this instance alone'),
    now,
    intervalMs: 200,
    maxKeys: 100_000,
  })
  return { client, graphql, counts, probe: () => client.request(PROBE) }
}

const PROBE = '{ app_by_pk(id: "") { id } }'
