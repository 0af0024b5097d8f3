import { setTimeout as sleep } from 'node:timers/promises'
import { ApolloClient, gql, InMemoryCache } from '@apollo/client/core'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, type SubscriptionForwarder, subscriptionExchange } from '@urql/core'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import { ownsEngine } from '../../support/hasura/given-hasura.ts'
import { engineEnvironment } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

// Sessions and Hasura end during subscriptions. Common clients reconnect automatically.

const SESSIONS = 5

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>

beforeAll(async () => {
  platform = await startTestPlatform({ WEBSOCKET_SESSION_SECONDS: '1' }, () => OFTEN)
  team = await platform.team()
})
afterAll(() => platform.stop())

const OFTEN = {
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
}

/** A live query that returns all rows after each insert, and a stream of the inserted rows. */
const SUBSCRIPTIONS = [
  'subscription { app { id } }',
  'subscription { app: app_stream(batch_size: 50, cursor: {initial_value: {created_at: "2000-01-01"}}) { id } }',
]

type Rows = { app: { id: string }[] }

/** Subscribes, and calls back with each response until the returned function is called. */
type Subscribe = (query: string, onRows: (rows: Rows) => void) => () => void

const connect = (onConnected: () => void) =>
  createClient({
    url: `${platform.baseUrl.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers: { Authorization: `Bearer ${team.apiKey}` } },
    // The default number of retries, with shorter pauses.
    retryWait: (retries) => sleep(200 * 2 ** retries),
    on: { connected: onConnected },
  })

const CLIENTS: Record<string, (onConnected: () => void) => Subscribe> = {
  'graphql-ws': (onConnected) => {
    const client = connect(onConnected)
    return (query, onRows) =>
      client.subscribe<Rows>(
        { query },
        { next: ({ data }) => data && onRows(data), error: fail, complete: () => {} },
      )
  },
  'Apollo Client': (onConnected) => {
    const link = new GraphQLWsLink(connect(onConnected))
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    return (query, onRows) => {
      const answers = client.subscribe<Rows>({ query: gql(query), fetchPolicy: 'no-cache' })
      const subscription = answers.subscribe(({ data, error }) => {
        if (error) fail(error)
        if (data) onRows(data)
      })
      return () => subscription.unsubscribe()
    }
  },
  urql: (onConnected) => {
    const socket = connect(onConnected)
    const forwardSubscription: SubscriptionForwarder = ({ query = '' }) => ({
      subscribe: (sink) => ({
        unsubscribe: socket.subscribe<Rows>(
          { query },
          { ...sink, next: ({ data = null }) => sink.next({ data }) },
        ),
      }),
    })
    const exchanges = [subscriptionExchange({ forwardSubscription })]
    const client = new Client({ url: platform.baseUrl, exchanges, preferGetMethod: false })
    return (query, onRows) => {
      const answers = client.subscription<Rows>(query, {}).subscribe(({ data, error }) => {
        if (error) fail(error)
        if (data) onRows(data)
      })
      return answers.unsubscribe
    }
  },
}

/** Stops the engine, runs `whileStopped`, and starts the engine again at the same address. */
async function restartEngine(whileStopped: () => Promise<void>) {
  await platform.engine.stop()
  await whileStopped()
  platform.engine = await serveEngineHere(platform.db.as('hasura'), {
    ...engineEnvironment(platform.baseUrl),
    ...OFTEN,
    HASURA_GRAPHQL_SERVER_PORT: new URL(platform.engine.url).port,
  })
}

const failures: unknown[] = []

function fail(failure: unknown) {
  failures.push(failure)
}

test('subscriptions survive the end of their sessions and a restart of Hasura, and miss no row', async () => {
  const watchers = Object.entries(CLIENTS).map(([name, makeClient]) => {
    let sessions = 0
    const subscribe = makeClient(() => {
      sessions += 1
    })
    const idsOfSubscriptions = SUBSCRIPTIONS.map(() => new Set<string>())
    const stops = SUBSCRIPTIONS.map((query, i) =>
      subscribe(query, ({ app }) => {
        for (const row of app) idsOfSubscriptions[i]?.add(row.id)
      }),
    )
    return {
      name,
      seen: idsOfSubscriptions,
      sessions: () => sessions,
      stop: () => stops.map((stop) => stop()),
    }
  })
  const addedIds: string[] = []
  const addRow = async () => {
    addedIds.push(await platform.app({ team }))
    await sleep(100)
  }
  const haveReached = (count: number) => watchers.every(({ sessions }) => sessions() >= count)

  while (!haveReached(SESSIONS - 1) && failures.length === 0) await addRow()
  if (ownsEngine) await restartEngine(addRow)
  while (!haveReached(SESSIONS + 1) && failures.length === 0) await addRow()

  for (const { name, seen: idsOfSubscriptions } of watchers)
    for (const [i, names] of idsOfSubscriptions.entries())
      await vi.waitFor(
        () =>
          expect(
            addedIds.filter((id) => !names.has(id)),
            `${name}: ${SUBSCRIPTIONS[i]}`,
          ).toEqual([]),
        15_000,
      )
  expect(failures).toEqual([])
  for (const { stop } of watchers) stop()
})
