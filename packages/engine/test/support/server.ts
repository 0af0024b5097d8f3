import { inject } from 'vitest'
import { z } from 'zod'
import { type Database, database } from '../../../../test/support/database.ts'
import {
  createHasuraCaller,
  EMPTY_DATABASE,
  isEmbeddedEngine,
  LEAVE_DATABASE,
} from '../../../platform/parts/empty-hasura.ts'
import { runSql } from './metadata.ts'
import { serveEngineHere } from './serve-here.ts'
import { askEngine, type EngineAnswer, type ServedEngine } from './start-engine.ts'

/** The server that runs the cases: the embedded engine with a new database, or an emptied Hasura. */
export type Server = Pick<ServedEngine, 'url' | 'post' | 'graphql'> & {
  /** Runs statements on the server's database. */
  sql(statements: string): Promise<void>
  /** True if the server is a real Hasura. Its responses to some cases differ on purpose. */
  isHasura: boolean
  /** Replaces the metadata; `source` is the source `default` without its connection. */
  setMetadata(source: object, rest: object): Promise<EngineAnswer>
  stop(): Promise<void>
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The Hasura that `npm run test:hasura` tests; undefined otherwise. */
    hasura?: { url: string; adminSecret: string; environment: Record<string, string> }
  }
}

/** Settings that case files expect unless their `environment` overrides them. */
const USUAL_SETTINGS = { HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'false' }

/** Hasura's defaults for the settings that are not `false` by default. */
const HASURA_DEFAULTS: Record<string, string> = {
  HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS: 'true',
}

/** Returns the settings that the tested server lacks; none for the embedded engine, which takes any. */
export function missingSettings(environment: Record<string, string>): string[] {
  const hasura = inject('hasura')
  const expected = Object.entries({ ...USUAL_SETTINGS, ...environment })
  return hasura
    ? expected
        .filter(
          ([name, value]) =>
            (hasura.environment[name] ?? HASURA_DEFAULTS[name] ?? 'false') !== value,
        )
        .map(([name, value]) => `${name}=${value}`)
    : []
}

/** Makes a database for one engine. */
export type MakeDatabase = () => Promise<Pick<Database, 'url' | 'query' | 'drop'>>

/** Starts the embedded engine with these settings, or empties the Hasura under test. */
export async function serve(
  environment: Record<string, string>,
  makeDatabase: MakeDatabase = database,
): Promise<Server> {
  const hasura = inject('hasura')
  return hasura ? serveEmptiedHasura(hasura) : serveEmbeddedEngine(environment, makeDatabase)
}

async function serveEmbeddedEngine(
  environment: Record<string, string>,
  makeDatabase: MakeDatabase,
): Promise<Server> {
  const db = await makeDatabase()
  const engine = await serveEngineHere(db.url, { ...USUAL_SETTINGS, ...environment })
  return {
    ...engine,
    isHasura: false,
    async sql(statements) {
      await db.query(statements)
    },
    setMetadata: (source, rest) =>
      engine.post('/v1/metadata', replaceCommand(SOURCE, source, rest)),
    async stop() {
      await engine.stop()
      await db.drop()
    },
  }
}

async function serveEmptiedHasura({
  url,
  adminSecret,
}: {
  url: string
  adminSecret: string
}): Promise<Server> {
  const { post, graphql } = askEngine(url, adminSecret)
  const connection = await connectionOf(post)
  const sql: Server['sql'] = async (statements) => {
    const reply = await post('/v2/query', runSql(statements))
    if (reply.status !== 200) throw new Error(`run_sql: ${reply.text}`)
  }
  const setMetadata: Server['setMetadata'] = (source, rest) =>
    post('/v1/metadata', replaceCommand(connection, source, rest))
  const empty = async () => {
    await setMetadata({ tables: [] }, {})
    await sql(EMPTY_DATABASE)
  }
  await empty()
  return {
    url,
    isHasura: !(await isEmbeddedEngine(createHasuraCaller(url, adminSecret))),
    post,
    graphql,
    sql,
    setMetadata,
    async stop() {
      await empty()
      await sql(LEAVE_DATABASE)
    },
  }
}

const SOURCE = {
  name: 'default',
  kind: 'postgres',
  ...connectionFrom('HASURA_GRAPHQL_DATABASE_URL'),
}

function connectionFrom(variable: string) {
  return { configuration: { connection_info: { database_url: { from_env: variable } } } }
}

const Exported = z.object({
  sources: z.array(
    z.looseObject({ name: z.string(), kind: z.string(), configuration: z.unknown() }),
  ),
})

/** Returns the name, kind and connection of the server's first source, so that later commands can keep them. */
async function connectionOf(post: Server['post']): Promise<object> {
  const { body } = await post('/v1/metadata', { type: 'export_metadata', args: {} })
  const [source] = Exported.safeParse(body).data?.sources ?? []
  if (!source) return SOURCE
  const { name, kind, configuration } = source
  return { name, kind, configuration }
}

function replaceCommand(connection: object, source: object, rest: object) {
  const document = { version: 3, sources: [{ ...connection, tables: [], ...source }], ...rest }
  return { type: 'replace_metadata', version: 2, args: { metadata: document } }
}
