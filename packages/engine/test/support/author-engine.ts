import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, table } from './metadata.ts'
import { serveEngineHere } from './serve-here.ts'
import type { EngineAnswer, ServedEngine } from './start-engine.ts'

/** An engine on authors and books. Tests change its metadata. */
export type AuthorEngine = {
  db: Database
  engine: ServedEngine
  /** Stops the engine and starts a new engine on the same database. */
  restart(): Promise<void>
  /** Sends a command of the metadata API. */
  run(type: string, args?: object, rest?: object): Promise<EngineAnswer>
  exportMetadata(): Promise<unknown>
  /** Resets the metadata to the two tracked tables. */
  reset(): Promise<void>
  stop(): Promise<void>
}

export async function startAuthorEngine(): Promise<AuthorEngine> {
  const db = await database()
  const parts = { db, engine: await serveEngineHere(db.url) }
  await db.query(`
    create table author (id int primary key, name text);
    create table book (id int primary key, author_id int references author, title text);
    create function shout(author) returns text language sql stable as $$ select upper($1.name) $$`)
  const run: AuthorEngine['run'] = (type, args = {}, rest = {}) =>
    parts.engine.post('/v1/metadata', { type, args, ...rest })
  return Object.assign(parts, {
    run,
    exportMetadata: async () => (await run('export_metadata')).body,
    async restart() {
      await parts.engine.stop()
      parts.engine = await serveEngineHere(db.url)
    },
    async reset() {
      await run('clear_metadata')
      await run('replace_metadata', metadata([table('author'), table('book')]))
    },
    async stop() {
      await parts.engine.stop()
      await db.drop()
    },
  })
}

/** The response of a command without a result. */
export const SUCCESS = { message: 'success' }
