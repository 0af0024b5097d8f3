import type { GraphQLClient } from 'graphql-request'
import type { SharedConfig } from '../config.ts'
import { type callHasura, createHasuraClient, observeHasuraCalls } from '../hasura/hasura-client.ts'
import { createHitCounts, type HitCounts, type Hits } from '../limits/rate-counts.ts'
import type { Log } from '../log/log.ts'
import {
  createRequestLog,
  type RefusedRequests,
  type RequestLog,
} from '../request-log/request-log.ts'
import { type Metrics, recordHasuraCalls } from '../telemetry/metrics.ts'

/** The log and the clock of a service. */
export type ServiceContext = {
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The operations that each service's SDK has: they add hits to the shared counts of all instances, and rows to the request log. */
type CommonSdk = {
  CountHits(variables: { counted: Hits[] }): Promise<{ count_hits: Hits[] }>
  RecordRefusedRequests(variables: { refused: RefusedRequests[] }): Promise<unknown>
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
  /** The refused requests of each app. */
  requestLog: RequestLog
  /** Looks up a row that does not exist; resolves if Hasura and its database answer. */
  probe(): Promise<unknown>
}

/** Creates a client of Hasura, the service's SDK, and the counts of the rate limits. */
export function connectHasura<Sdk extends CommonSdk>(
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
  const requestLog = createRequestLog({
    store: async (rows) => void (await graphql.RecordRefusedRequests({ refused: rows })),
    count: (outcome, requests) => metrics.refusedRequests.inc({ outcome }, requests),
    onFailure: (err) => log.warn({ err }, 'refused requests are not in the request log'),
    now,
  })
  return { client, graphql, counts, requestLog, probe: () => client.request(PROBE) }
}

const PROBE = '{ app_by_pk(id: "") { id } }'
