import { z } from 'zod'
import { readMetadataDocument } from '../../../packages/engine/metadata/folder/read-metadata-folder.ts'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import {
  ADMIN_SECRET,
  type ServedEngine,
} from '../../../packages/engine/test/support/start-engine.ts'
import { database } from '../database.ts'
import { asHasuraReaches, givenHasura, replaceAll, runningHasura } from './given-hasura.ts'

const Folder = z.object({
  sources: z.tuple([
    z.looseObject({
      configuration: z.unknown(),
      tables: z.array(z.looseObject({ event_triggers: z.unknown().optional() })),
    }),
  ]),
  inherited_roles: z.unknown().optional(),
})

const Rows = z.object({ result: z.array(z.array(z.string())) })

export type Project = Pick<ServedEngine, 'url' | 'post' | 'graphql'> & {
  /** The headers of an admin. An admin can use any role. */
  headers: Record<string, string>
  /** The address of the database, as a superuser. */
  superuserUrl: string
  /** Runs statements as a superuser. */
  sql(statements: string): Promise<void>
  /** Returns the rows of a statement, with all values as text. */
  rows(statement: string): Promise<string[][]>
  stop(): Promise<void>
}

/**
 * Serves hasura/ (migrations, tables, permissions, functions) on a new database, with the embedded
 * engine or the Hasura of `npm run test:hasura`. Omits everything that calls other services:
 * actions, event triggers and schedules.
 */
export async function serveProject(): Promise<Project> {
  const db = await database('platform')
  const configuredHasura = givenHasura()
  const url = db.as('hasura')
  const engine = configuredHasura
    ? runningHasura(configuredHasura)
    : await serveEngineHere(url, AS_THE_PLATFORM)
  await replaceAll(engine, await sourceAt(configuredHasura ? asHasuraReaches(url) : url))
  return {
    url: engine.url,
    post: engine.post,
    graphql: engine.graphql,
    headers: { 'x-hasura-admin-secret': configuredHasura?.adminSecret ?? ADMIN_SECRET },
    superuserUrl: db.url,
    async sql(statements) {
      await db.query(statements)
    },
    async rows(statement) {
      const args = { sql: statement, source: 'default' }
      const { body } = await engine.post('/v2/query', { type: 'run_sql', args })
      return Rows.parse(body).result.slice(1)
    },
    async stop() {
      await engine.stop()
      await db.drop()
    },
  }
}

const AS_THE_PLATFORM = { HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true' }

/** Returns the metadata of the project's source without event triggers, with its database at this address. */
async function sourceAt(database_url: string): Promise<object> {
  const { sources, inherited_roles } = Folder.parse(await readMetadataDocument('hasura/metadata'))
  const [{ tables, ...source }] = sources
  const configuration = { connection_info: { database_url } }
  const silent = tables.map(({ event_triggers: _, ...table }) => table)
  return { version: 3, sources: [{ ...source, configuration, tables: silent }], inherited_roles }
}
