import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { load as parseYaml } from 'js-yaml'
import { inject } from 'vitest'
import { z } from 'zod'
import { type Server, serve } from '../engine/server.ts'
import { ADMIN_SECRET } from '../engine/start-engine.ts'

const Source = z.looseObject({
  tables: z.array(
    z.looseObject({
      table: z.object({ name: z.string() }),
      event_triggers: z.array(z.unknown()).optional(),
    }),
  ),
})

const Rows = z.object({ result: z.array(z.array(z.string())) })

export type Project = Server & {
  /** The headers of an admin, who may act in any role. */
  headers: Record<string, string>
  /** Rows of a statement, all values as text. */
  rows(statement: string): Promise<string[][]>
}

/**
 * Serves hasura/ (migrations, tables, permissions, functions) on the embedded engine, or on the Hasura of
 * `npm run test:hasura`. Left out is what calls other services: actions, event triggers and schedules.
 */
export async function serveProject(): Promise<Project> {
  const server = await serve({})
  for (const version of readdirSync('hasura/migrations/default').sort())
    await server.sql(readFileSync(`hasura/migrations/default/${version}/up.sql`, 'utf8'))
  const { status, text } = await server.setMetadata(readSourceMetadata(), {})
  if (status !== 200) throw new Error(text)
  return {
    ...server,
    headers: { 'x-hasura-admin-secret': inject('hasura')?.adminSecret ?? ADMIN_SECRET },
    async rows(statement) {
      const args = { sql: statement, source: 'default' }
      const { body } = await server.post('/v2/query', { type: 'run_sql', args })
      return Rows.parse(body).result.slice(1)
    },
  }
}

function readSourceMetadata(): object {
  const [{ name: _name, kind: _kind, configuration: _configuration, ...source }] = z
    .tuple([z.looseObject({})])
    .parse(loadMetadataFile('hasura/metadata/databases/databases.yaml'))
  const { tables, ...rest } = Source.parse(source)
  return { ...rest, tables: tables.map(({ event_triggers: _, ...table }) => table) }
}

/** A file of the metadata folder, with the files that it includes. */
function loadMetadataFile(path: string): unknown {
  return resolveIncludes(parseYaml(readFileSync(path, 'utf8')), dirname(path))
}

function resolveIncludes(value: unknown, folder: string): unknown {
  if (typeof value === 'string' && value.startsWith('!include '))
    return loadMetadataFile(join(folder, value.slice('!include '.length)))
  if (Array.isArray(value)) return value.map((each) => resolveIncludes(each, folder))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolveIncludes(each, folder)]),
  )
}
