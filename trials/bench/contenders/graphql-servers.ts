import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { freePort } from '../../../local/process/free-port.ts'
import { startServerProcess } from '../../../packages/platform/processes/server-process.ts'
import type { Workload } from '../load/graphql-workloads.ts'
import type { Call } from '../load/http-load.ts'
import { createShopDatabase, type Shop, TENANT } from '../load/shop-database.ts'
import { type BenchDatabase, startBenchDatabase } from './bench-database.ts'
import { type ExistingHasura, switchDatabase } from './existing-hasura.ts'

/** A server of the comparison. */
export type GraphqlContender = {
  name: string
  url: string
  /** The process for which CPU time and memory are measured; null for an external server. */
  pid: number | null
  /** Creates the workload's request for this server. */
  call(workload: Workload, variables: object): Call
  /** Converts a response to the form in which the servers' responses are compared. */
  normalize(answer: unknown): unknown
}

/** A server that the comparison has started. */
export type LocalContender = GraphqlContender & { pid: number }

export type GraphqlContenders = Record<
  'engine' | 'handWritten' | 'postgraphile',
  LocalContender
> & {
  /** A running Hasura; null if the environment names none. */
  hasura: GraphqlContender | null
  stop(): Promise<void>
}

/**
 * Starts a database with the rows of `shop`, and the three servers on it.
 *
 * @param hasura a running Hasura that serves this database too, until `stop`
 */
export async function startGraphqlContenders(
  shop: Shop,
  hasura: ExistingHasura | null,
): Promise<GraphqlContenders> {
  const database = await startBenchDatabase()
  try {
    const databaseUrl = await createShopDatabase(database.databaseUrl, shop)
    const existingHasura = hasura && (await switchDatabase(hasura, databaseUrl))
    if (existingHasura) database.onStop(existingHasura.restoreMetadata)
    return {
      hasura: existingHasura && createHasuraContender(existingHasura),
      engine: await startContender(database, ENGINE, databaseUrl),
      handWritten: await startContender(database, HAND_WRITTEN, databaseUrl),
      postgraphile: await startContender(database, POSTGRAPHILE, databaseUrl),
      stop: database.stop,
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

function createHasuraContender({ endpoint, adminSecret }: ExistingHasura): GraphqlContender {
  const headers = { 'x-hasura-admin-secret': adminSecret, ...SELLER }
  return {
    name: 'Hasura',
    url: endpoint,
    pid: null,
    call: ({ engine }, variables) => createGraphqlCall(engine, variables, headers),
    normalize: (answer) => answer,
  }
}

/** Creates the shop's database and starts only the engine on it. */
export async function startEngineContender(database: BenchDatabase, shop: Shop) {
  const databaseUrl = await createShopDatabase(database.databaseUrl, shop)
  return { databaseUrl, engine: await startContender(database, ENGINE, databaseUrl) }
}

type Server = Omit<LocalContender, 'url' | 'pid'> & {
  entry: string
  healthPath: string
  env(databaseUrl: string, port: number): Record<string, string>
}

async function startContender(
  database: BenchDatabase,
  server: Server,
  databaseUrl: string,
): Promise<LocalContender> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const part = await startServerProcess({
    name: server.name,
    entry: server.entry,
    env: { NODE_ENV: 'production', GRAPHILE_ENV: 'production', ...server.env(databaseUrl, port) },
    logFile: database.logFile,
    healthUrl: url + server.healthPath,
    onEnd: (error) => {
      throw error
    },
  })
  database.onStop(part.stop)
  return { ...server, url, pid: part.pid }
}

const ADMIN_SECRET = 'of-the-measurement'

/** The session variables of the seller. */
const SELLER = { 'x-hasura-role': 'seller', 'x-hasura-tenant': String(TENANT) }

/** The headers of every request to the engine. */
export const ENGINE_HEADERS = { 'x-hasura-admin-secret': ADMIN_SECRET, ...SELLER }

/** Creates the engine's environment; `metadata` is the metadata folder. */
export function createEngineEnvironment(
  databaseUrl: string,
  port: number,
  metadata: string,
): Record<string, string> {
  return {
    HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
    HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
    HASURA_GRAPHQL_SERVER_PORT: String(port),
    HASURA_GRAPHQL_METADATA_DIR: metadata,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
  }
}

const ENGINE: Server = {
  name: 'engine',
  entry: 'packages/engine/server.ts',
  healthPath: '/healthz?strict=true',
  env: (databaseUrl, port) => createEngineEnvironment(databaseUrl, port, 'trials/bench/metadata'),
  call: ({ engine }, variables) => createGraphqlCall(engine, variables, ENGINE_HEADERS),
  normalize: (answer) => answer,
}

const HAND_WRITTEN: Server = {
  ...createContenderModule(new URL('./hand-written.ts', import.meta.url)),
  name: 'hand-written SQL',
  call: ({ name }, variables) => ({
    path: `/${name}`,
    body: JSON.stringify(variables),
    headers: SELLER,
  }),
  normalize: (answer) => answer,
}

const POSTGRAPHILE: Server = {
  ...createContenderModule(new URL('./postgraphile.ts', import.meta.url)),
  name: 'PostGraphile',
  call: ({ postgraphile }, variables) => createGraphqlCall(postgraphile, variables, SELLER),
  normalize: removeConnections,
}

function createContenderModule(entry: URL): Pick<Server, 'entry' | 'healthPath' | 'env'> {
  return {
    entry: fileURLToPath(entry),
    healthPath: '/',
    env: (databaseUrl, port) => ({ DATABASE_URL: databaseUrl, PORT: String(port) }),
  }
}

function createGraphqlCall(
  query: string,
  variables: object,
  headers: Record<string, string>,
): Call {
  return { path: '/v1/graphql', body: JSON.stringify({ query, variables }), headers }
}

/**
 * Converts PostGraphile's response. Its lists are objects with `nodes`, its count is a number next to `nodes`, and its
 * mutations return a payload.
 */
function removeConnections(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (_key, value: unknown) => {
    const creation = CreatedPayload.safeParse(value)
    if (creation.success) return { purchase: creation.data.created.purchase }
    const aggregation = CountedConnection.safeParse(value)
    if (aggregation.success)
      return { ...aggregation.data, aggregate: { count: aggregation.data.aggregate } }
    const list = ListConnection.safeParse(value)
    return list.success ? list.data.nodes : value
  })
}

const CreatedPayload = z.object({ created: z.object({ purchase: z.unknown() }) })
const CountedConnection = z.looseObject({ aggregate: z.number() })
const ListConnection = z.strictObject({ nodes: z.array(z.unknown()) })
