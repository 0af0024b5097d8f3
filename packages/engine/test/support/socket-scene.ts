import { database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from './metadata.ts'
import { serveEngineHere } from './serve-here.ts'
import { ADMIN_SECRET } from './start-engine.ts'

export type SocketScene = Awaited<ReturnType<typeof startSocketScene>>

/** Starts an engine that serves notes to sockets and refetches live queries often. */
export async function startSocketScene() {
  const db = await database()
  const engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE: '10',
    HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: '3',
    HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: '1',
    ENGINE_WEBSOCKET_OPERATIONS: '40',
  })
  await engine.post(
    '/v2/query',
    runSql(`create table note (id int primary key, owner text, text text, big numeric);
      create function ratio(n int) returns setof note language plpgsql stable as
        'begin perform 1 / n; return query select * from note; end';
      insert into note values (99, 'nobody', 'many digits', 12345678901234567890.1)`),
  )
  const replaceMetadata = () => engine.post('/v1/metadata', replace(metadata(TABLES)))
  await replaceMetadata()
  await engine.post('/v1/metadata', { type: 'pg_track_function', args: { function: 'ratio' } })
  return {
    db,
    url: engine.url,
    replaceMetadata,
    async stop() {
      await engine.stop()
      await db.drop()
    },
  }
}

const TABLES = [
  table('note', {
    select_permissions: [
      {
        role: 'user',
        permission: { columns: '*', filter: { owner: { _eq: 'X-Hasura-User-Id' } } },
      },
    ],
  }),
]

/** The first message of admin. */
export const INIT = {
  type: 'connection_init',
  payload: { headers: { 'x-hasura-admin-secret': ADMIN_SECRET } },
}

/** The headers of a user with notes. */
export const asUser = (id: string) => ({
  'x-hasura-admin-secret': ADMIN_SECRET,
  'x-hasura-role': 'user',
  'x-hasura-user-id': id,
})
