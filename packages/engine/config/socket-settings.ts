import { booleanSetting, boundSetting, countSetting, fromVariable } from './setting.ts'

/** The settings of subscriptions and WebSockets. */
export const SOCKET_SETTINGS = {
  liveQueriesRefetchMs: fromVariable(
    'HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    'Milliseconds between two executions of a live query',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  liveQueriesBatchSize: fromVariable(
    'HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE',
    'Live queries with the same statement that one execution answers',
    countSetting(10_000).default(100),
  ),
  streamsRefetchMs: fromVariable(
    'HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    'Milliseconds between two executions of a streaming subscription',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  streamsBatchSize: fromVariable(
    'HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE',
    'Streaming subscriptions with the same statement that one execution answers',
    countSetting(10_000).default(100),
  ),
  websocketKeepAliveSeconds: fromVariable(
    'HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE',
    'Seconds between two messages that keep a WebSocket open; 0 sends none',
    countSetting(86_400).default(5),
  ),
  websocketInitSeconds: fromVariable(
    'HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT',
    'Seconds in which a client must send `connection_init`',
    countSetting(86_400).default(3),
  ),
  websocketOperations: fromVariable(
    'ENGINE_WEBSOCKET_OPERATIONS',
    'Operations at a time on a WebSocket, for every client',
    boundSetting(1_000_000),
  ),
  closeWebsocketsOnMetadataChange: fromVariable(
    'HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE',
    'Close all WebSockets when the metadata changes, so that clients connect again',
    booleanSetting().default(true),
  ),
  wsReadCookie: fromVariable(
    'HASURA_GRAPHQL_WS_READ_COOKIE',
    'With `HASURA_GRAPHQL_DISABLE_CORS`, also read the cookies of WebSockets from pages; a proxy must then check their origin',
    booleanSetting().default(false),
  ),
}
