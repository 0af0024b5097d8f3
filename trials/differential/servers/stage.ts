import { z } from 'zod'
import { EMPTY_DATABASE, LEAVE_DATABASE } from '../../../packages/platform/parts/empty-hasura.ts'
import type { World } from '../worlds/world.ts'
import { type GraphqlServer, runSqlOn } from './graphql-server.ts'
import { keepRows } from './kept-rows.ts'

/** A server whose database and metadata can be replaced by those of a world. */
export type Stage = {
  server: GraphqlServer
  /**
   * Replaces what is there, unless it is the same; rows are as in the world only if nothing has changed them since.
   *
   * @returns the names of what is inconsistent, in order
   * @throws Error if the server refuses the SQL or the metadata
   */
  show(world: World): Promise<string[]>
  /** Leaves the database empty, and to others. */
  clear(): Promise<void>
}

const Exported = z.looseObject({
  sources: z.array(z.looseObject({ name: z.string(), configuration: z.unknown() })),
})

const Replaced = z.object({ inconsistent_objects: z.array(z.looseObject({ name: z.string() })) })

/** Takes a server, whose source stays connected as it is. */
export async function openStage(server: GraphqlServer): Promise<Stage> {
  const exported = await server.post('/v1/metadata', { type: 'export_metadata', args: {} })
  const { sources } = Exported.parse(exported.body)
  const configuration = sources.find(({ name }) => name === 'default')?.configuration ?? USUAL
  let shown: { sql: string; metadata: string; inconsistent: string[] } | null = null

  async function replaceMetadata(metadata: Record<string, unknown>): Promise<string[]> {
    const args = {
      allow_inconsistent_metadata: true,
      metadata: withConnection(metadata, configuration),
    }
    const answered = await server.post('/v1/metadata', {
      type: 'replace_metadata',
      version: 2,
      args,
    })
    const { data } = Replaced.safeParse(answered.body)
    if (answered.status === 200 && data)
      return data.inconsistent_objects.map(({ name }) => name).sort()
    throw new Error(`replace_metadata: ${answered.status} ${answered.text.slice(0, 500)}`)
  }

  async function replaceDatabase(statements: readonly string[]): Promise<void> {
    await replaceMetadata({ version: 3, sources: [{ name: 'default', kind: 'postgres' }] })
    await runSqlOn(server, EMPTY_DATABASE)
    for (const statement of statements) await runSqlOn(server, statement)
    await keepRows(server)
  }

  return {
    server,
    async show(world) {
      const sql = JSON.stringify(world.sql)
      const metadata = JSON.stringify(world.metadata)
      if (shown?.sql === sql && shown.metadata === metadata) return shown.inconsistent
      const isNew = shown?.sql !== sql
      shown = null
      if (isNew) await replaceDatabase(world.sql)
      const inconsistent = await replaceMetadata(world.metadata)
      shown = { sql, metadata, inconsistent }
      return inconsistent
    },
    async clear() {
      shown = null
      await replaceMetadata({ version: 3, sources: [{ name: 'default', kind: 'postgres' }] })
      await runSqlOn(server, `${EMPTY_DATABASE};\n${LEAVE_DATABASE}`)
    },
  }
}

const USUAL = { connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } } }

const WithSources = z.looseObject({ sources: z.array(z.looseObject({})) })

/** The metadata with the server's own connection in its source. */
function withConnection(metadata: unknown, configuration: unknown): object {
  const { sources, ...rest } = WithSources.parse(metadata)
  return { ...rest, sources: sources.map((source) => ({ tables: [], ...source, configuration })) }
}
