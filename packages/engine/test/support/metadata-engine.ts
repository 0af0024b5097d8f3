import { database } from '../../../../test/support/database.ts'
import { serveEngineHere } from './serve-here.ts'
import type { EngineAnswer, ServedEngine } from './start-engine.ts'

/** An engine on tables and functions for tests of inconsistent metadata. */
export type MetadataEngine = {
  engine: ServedEngine
  /** Replaces the metadata and allows it to be inconsistent. */
  setMetadata(source: object, rest?: object): Promise<EngineAnswer>
  stop(): Promise<void>
}

/** Starts the engine on a new database. */
export async function startMetadataEngine(): Promise<MetadataEngine> {
  const db = await database()
  await db.query(`
    create table item (id int primary key, name text, kind text);
    create table "odd name" (id int primary key);
    create table kind (name text primary key);
    create function names() returns text language sql stable as $$ select 'x' $$;
    create function items() returns setof item language sql stable as $$ select * from item $$;
    create function twice(a int) returns setof item language sql stable as $$ select * from item $$;
    create function twice(a text) returns setof item language sql stable as $$ select * from item $$;`)
  const engine = await serveEngineHere(db.url)
  return {
    engine,
    setMetadata: (source, rest = {}) =>
      engine.post('/v1/metadata', {
        type: 'replace_metadata',
        version: 2,
        args: {
          allow_inconsistent_metadata: true,
          metadata: {
            version: 3,
            sources: [{ name: 'default', kind: 'postgres', ...source }],
            ...rest,
          },
        },
      }),
    async stop() {
      await engine.stop()
      await db.drop()
    },
  }
}

/** A tracked table. */
export const ITEM = { table: 'item' }

/** An action that returns a number, unless its definition says otherwise. */
export const action = (name: string, definition: object) => ({
  name,
  definition: {
    kind: 'synchronous',
    handler: 'http://handler/',
    output_type: 'Int',
    ...definition,
  },
})

/** Fields of these types. */
export const fields = (...types: string[]) => types.map((type, i) => ({ name: `f${i}`, type }))
