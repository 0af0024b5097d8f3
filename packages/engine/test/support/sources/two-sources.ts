import { type Database, database } from '../../../../../test/support/database.ts'
import { serveEngineHere } from '../serve-here.ts'
import type { ServedEngine } from '../start-engine.ts'

/** An engine with the sources `shop`, in the database of the metadata, and `stock`, in another database. */
export type TwoSources = {
  shop: Database
  stock: Database
  engine: ServedEngine
  /** Replaces the metadata by these sources. */
  use(sources: readonly object[], rest?: object): Promise<unknown>
  /** Sends a command of the metadata API. */
  command(type: string, args: object): Promise<unknown>
  end(): Promise<void>
}

/** Starts the engine. Each database has one table, which is not tracked. */
export async function startTwoSources(
  environment: Record<string, string> = {},
): Promise<TwoSources> {
  const [shop, stock] = [await database(), await database()]
  await shop.query(`create table item (id int primary key, name text not null);
    insert into item values (1, 'lamp'), (2, 'desk')`)
  await stock.query(`create table shelf (id int primary key, item_id int, place text not null);
    insert into shelf values (10, 1, 'cellar'), (11, 1, 'attic'), (12, 2, 'yard')`)
  const engine = await serveEngineHere(shop.url, { STOCK_DATABASE: stock.url, ...environment })
  const command = async (type: string, args: object) =>
    (await engine.post('/v1/metadata', { type, version: 2, args })).body
  return {
    shop,
    stock,
    engine,
    command,
    use: (sources, rest = {}) =>
      command('replace_metadata', {
        allow_inconsistent_metadata: true,
        metadata: { version: 3, sources, ...rest },
      }),
    async end() {
      await engine.stop()
      await shop.drop()
      await stock.drop()
    },
  }
}

/** The metadata of a source with its URL in a variable. */
export function source(name: string, tables: readonly object[], rest: object = {}): object {
  const from_env = name === 'stock' ? 'STOCK_DATABASE' : 'HASURA_GRAPHQL_DATABASE_URL'
  const configuration = { connection_info: { database_url: { from_env } } }
  return { name, kind: 'postgres', configuration, tables, ...rest }
}
