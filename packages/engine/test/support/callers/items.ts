import { expect } from 'vitest'
import { database } from '../../../../../test/support/database.ts'
import { CALLER_SETTINGS } from '../caller.ts'
import { metadata, replace, table } from '../metadata.ts'
import type { ServedEngine } from '../start-engine.ts'

type StartEngine<E> = (url: string, settings: Record<string, string>) => Promise<E>

/** Starts an engine on a tree of 20,000 items that callers of the role `user` can read. */
export async function startWithItems<E extends ServedEngine>(
  startEngine: StartEngine<E>,
  settings: Record<string, string> = {},
) {
  const db = await database()
  await db.query(`
    create table item (id int primary key, parent_id int references item, label text);
    create index on item (parent_id);
    insert into item select n, nullif(n / 20, 0), 'item' from generate_series(1, 20000) n;
    analyze item;`)
  const engine = await startEngine(db.url, { ...CALLER_SETTINGS, ...settings })
  const select_permissions = [{ role: 'user', permission: { columns: '*', filter: {} } }]
  await engine.post('/v1/metadata', replace(metadata([ITEM(select_permissions)])))
  return {
    db,
    engine,
    async stop() {
      await engine.stop()
      await db.drop()
    },
  }
}

const ITEM = (select_permissions: object[]) =>
  table('item', {
    object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
    array_relationships: [
      {
        name: 'children',
        using: { foreign_key_constraint_on: { column: 'parent_id', table: 'item' } },
      },
    ],
    select_permissions,
  })

/** The GraphQL response to a rejected request. */
export const rejection = (code: string, message: RegExp) => ({
  errors: [{ extensions: { code }, message: expect.stringMatching(message) }],
})
