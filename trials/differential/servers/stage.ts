import { z } from 'zod'
import { EMPTY_DATABASE, LEAVE_DATABASE } from '../../../packages/platform/parts/empty-hasura.ts'
import type { World } from '../worlds/world.ts'
import { type GraphqlServer, runSqlOn } from './graphql-server.ts'
import { saveRows } from './saved-rows.ts'

/** A server with the database and metadata of one world at a time. */
export type Stage = {
  server: GraphqlServer
  /**
   * Replaces the database, unless the server already has the world's SQL. In that case the rows stay as earlier mutations left them.
   * Replaces the metadata, unless the server already has the world's SQL and metadata.
   *
   * @returns the sorted names of the inconsistent objects
   * @throws Error if the server rejects the SQL or the metadata
   */
  show(world: World): Promise<string[]>
  /** Empties the database, and releases it for other runs. */
  clear(): Promise<void>
}

const MetadataExport = z.looseObject({
  sources: z.array(z.looseObject({ name: z.string(), configuration: z.unknown() })),
})

const ReplaceResponse = z.object({
  inconsistent_objects: z.array(z.looseObject({ name: z.string() })),
})

/** Prepares a server for worlds. The default source keeps its connection. */
export async function openStage(server: GraphqlServer): Promise<Stage> {
  const response = await server.post('/v1/metadata', { type: 'export_metadata', args: {} })
  const { sources } = MetadataExport.parse(response.body)
  const configuration =
    sources.find(({ name }) => name === 'default')?.configuration ?? DEFAULT_CONFIGURATION
  let current: { sql: string; metadata: string; inconsistent: string[] } | null = null

  async function replaceMetadata(metadata: Record<string, unknown>): Promise<string[]> {
    const args = {
      allow_inconsistent_metadata: true,
      metadata: withConnection(metadata, configuration),
    }
    const { status, text, body } = await server.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args,
    })
    const { data } = ReplaceResponse.safeParse(body)
    if (status === 200 && data) return data.inconsistent_objects.map(({ name }) => name).sort()
    throw new Error(`replace_metadata: ${status} ${text.slice(0, 500)}`)
  }

  async function replaceDatabase(statements: readonly string[]): Promise<void> {
    await replaceMetadata({ version: 3, sources: [{ name: 'default', kind: 'postgres' }] })
    await runSqlOn(server, EMPTY_DATABASE)
    for (const statement of statements) await runSqlOn(server, statement)
    await saveRows(server)
  }

  return {
    server,
    async show(world) {
      const sql = JSON.stringify(world.sql)
      const metadata = JSON.stringify(world.metadata)
      if (current?.sql === sql && current.metadata === metadata) return current.inconsistent
      const isNew = current?.sql !== sql
      current = null
      if (isNew) await replaceDatabase(world.sql)
      const inconsistent = await replaceMetadata(world.metadata)
      current = { sql, metadata, inconsistent }
      return inconsistent
    },
    async clear() {
      current = null
      await replaceMetadata({ version: 3, sources: [{ name: 'default', kind: 'postgres' }] })
      await runSqlOn(server, `${EMPTY_DATABASE};\n${LEAVE_DATABASE}`)
    },
  }
}

const DEFAULT_CONFIGURATION = {
  connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } },
}

const WithSources = z.looseObject({ sources: z.array(z.looseObject({})) })

/** Replaces the connection of each source by the server's connection. */
function withConnection(metadata: unknown, configuration: unknown): object {
  const document = WithSources.parse(metadata)
  return {
    ...document,
    sources: document.sources.map((source) => ({ tables: [], ...source, configuration })),
  }
}
