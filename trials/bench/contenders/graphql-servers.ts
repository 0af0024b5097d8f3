import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { freePort } from '../../../local/process/free-port.ts'
import { startServerProcess } from '../../../packages/platform/processes/server-process.ts'
import type { Workload } from '../load/graphql-workloads.ts'
import type { Call } from '../load/http-load.ts'
import { createShopDatabase, type Shop, TENANT } from '../load/shop-database.ts'
import { type DatabaseSite, openDatabaseSite } from './database-site.ts'
import { type GivenHasura, lendDatabase } from './given-hasura.ts'

/** One of the servers that are compared. */
export type GraphqlContender = {
  name: string
  url: string
  /** Whose CPU time and memory are measured; null for a server elsewhere. */
  pid: number | null
  /** The request as this server takes it. */
  call(workload: Workload, variables: object): Call
  /** An answer in the form that all servers' answers are compared in. */
  plain(answer: unknown): unknown
}

/** One that was started for the comparison. */
export type StartedContender = GraphqlContender & { pid: number }

export type GraphqlContenders = Record<
  'engine' | 'handWritten' | 'postgraphile',
  StartedContender
> & {
  /** A Hasura that runs already, if its address is given. */
  hasura: GraphqlContender | null
  stop(): Promise<void>
}

/**
 * Starts a database with the rows of `shop`, and the three servers on it.
 *
 * @param hasura a server that is to serve this database, too, as long as this lasts
 */
export async function startGraphqlContenders(
  shop: Shop,
  hasura: GivenHasura | null,
): Promise<GraphqlContenders> {
  const site = await openDatabaseSite()
  try {
    const databaseUrl = await createShopDatabase(site.databaseUrl, shop)
    const given = hasura && (await lendDatabase(hasura, databaseUrl))
    if (given) site.onStop(given.takeBack)
    return {
      hasura: given && hasuraContender(given),
      engine: await startContender(site, ENGINE, databaseUrl),
      handWritten: await startContender(site, HAND_WRITTEN, databaseUrl),
      postgraphile: await startContender(site, POSTGRAPHILE, databaseUrl),
      stop: site.stop,
    }
  } catch (error) {
    await site.stop()
    throw error
  }
}

function hasuraContender({ endpoint, adminSecret }: GivenHasura): GraphqlContender {
  const headers = { 'x-hasura-admin-secret': adminSecret, ...SELLER }
  return {
    name: 'Hasura',
    url: endpoint,
    pid: null,
    call: ({ engine }, variables) => graphqlCall(engine, variables, headers),
    plain: (answer) => answer,
  }
}

/** Starts the engine alone on such a database. */
export async function startEngineContender(site: DatabaseSite, shop: Shop) {
  const databaseUrl = await createShopDatabase(site.databaseUrl, shop)
  return { databaseUrl, engine: await startContender(site, ENGINE, databaseUrl) }
}

type Server = Omit<StartedContender, 'url' | 'pid'> & {
  entry: string
  healthPath: string
  env(databaseUrl: string, port: number): Record<string, string>
}

async function startContender(
  site: DatabaseSite,
  server: Server,
  databaseUrl: string,
): Promise<StartedContender> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const part = await startServerProcess({
    name: server.name,
    entry: server.entry,
    env: { NODE_ENV: 'production', GRAPHILE_ENV: 'production', ...server.env(databaseUrl, port) },
    logFile: site.logFile,
    healthUrl: url + server.healthPath,
    onEnd: (error) => {
      throw error
    },
  })
  site.onStop(part.stop)
  return { ...server, url, pid: part.pid }
}

const ADMIN_SECRET = 'of-the-measurement'

/** Who asks, in headers. */
const SELLER = { 'x-hasura-role': 'seller', 'x-hasura-tenant': String(TENANT) }

/** What the engine is sent with every request. */
export const ENGINE_HEADERS = { 'x-hasura-admin-secret': ADMIN_SECRET, ...SELLER }

/** The engine's settings; `metadata` is its folder. */
export function engineEnvironment(
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
  env: (databaseUrl, port) => engineEnvironment(databaseUrl, port, 'trials/bench/metadata'),
  call: ({ engine }, variables) => graphqlCall(engine, variables, ENGINE_HEADERS),
  plain: (answer) => answer,
}

const HAND_WRITTEN: Server = {
  ...contenderModule(new URL('./hand-written.ts', import.meta.url)),
  name: 'hand-written SQL',
  call: ({ name }, variables) => ({
    path: `/${name}`,
    body: JSON.stringify(variables),
    headers: SELLER,
  }),
  plain: (answer) => answer,
}

const POSTGRAPHILE: Server = {
  ...contenderModule(new URL('./postgraphile.ts', import.meta.url)),
  name: 'PostGraphile',
  call: ({ postgraphile }, variables) => graphqlCall(postgraphile, variables, SELLER),
  plain: withoutConnections,
}

function contenderModule(entry: URL): Pick<Server, 'entry' | 'healthPath' | 'env'> {
  return {
    entry: fileURLToPath(entry),
    healthPath: '/',
    env: (databaseUrl, port) => ({ DATABASE_URL: databaseUrl, PORT: String(port) }),
  }
}

function graphqlCall(query: string, variables: object, headers: Record<string, string>): Call {
  return { path: '/v1/graphql', body: JSON.stringify({ query, variables }), headers }
}

/** PostGraphile's lists are objects with `nodes`, its count is a number beside them, its mutations have a payload. */
function withoutConnections(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (_key, value: unknown) => {
    const created = Created.safeParse(value)
    if (created.success) return { purchase: created.data.created.purchase }
    const counted = Counted.safeParse(value)
    if (counted.success) return { ...counted.data, aggregate: { count: counted.data.aggregate } }
    const list = List.safeParse(value)
    return list.success ? list.data.nodes : value
  })
}

const Created = z.object({ created: z.object({ purchase: z.unknown() }) })
const Counted = z.looseObject({ aggregate: z.number() })
const List = z.strictObject({ nodes: z.array(z.unknown()) })
