import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { startBenchDatabase } from '../contenders/bench-database.ts'
import { ENGINE_HEADERS, startEngineContender } from '../contenders/graphql-servers.ts'
import { readProcessCost } from '../load/process-cost.ts'
import { createShop } from '../load/shop-database.ts'
import { type Figure, percentile } from '../report/figure.ts'

const COHORTS = 2_000
const SOCKETS = 20
const SECONDS = 20
const CHANGES_PER_SECOND = 20

const SUBSCRIPTION = `subscription Purchases($customer: Int!) {
  purchase(where: { customer_id: { _eq: $customer } }, order_by: { id: asc }) { id quantity status }
}`

/**
 * Measures live queries with 2,000 different variables, each refreshed every second: the time from a commit to its subscriber,
 * and whether this time grows.
 */
export async function measureLiveQueries(): Promise<Figure[]> {
  const site = await startBenchDatabase()
  // Every other customer belongs to the subscriber's tenant.
  const shop = createShop(COHORTS * 2 * 10)
  try {
    const { engine, databaseUrl } = await startEngineContender(site, shop)
    const customers = Array.from({ length: COHORTS }, (_, i) => 1 + 2 * i)
    const subscriptions = await openSubscriptions(engine.url, customers)
    const before = readProcessCost(engine.pid)
    const lags = await changeRows(databaseUrl, customers, subscriptions)
    const after = readProcessCost(engine.pid)
    for (const socket of subscriptions.sockets) socket.terminate()
    return createLagFigures(lags, { cpuMs: after.cpuMs - before.cpuMs, memoryMb: after.memoryMb })
  } finally {
    await site.stop()
  }
}

/** The part of a graphql-transport-ws message that the subscriber reads. */
const ServerMessage = z.object({
  type: z.string(),
  id: z.string().optional(),
  payload: z.object({ errors: z.unknown().optional() }).optional(),
})

type Subscriptions = { sockets: WebSocket[]; changeHandlers: Map<number, () => void> }

/** Opens the subscriptions and waits for the first result of each. */
async function openSubscriptions(
  url: string,
  customers: readonly number[],
): Promise<Subscriptions> {
  const changeHandlers = new Map<number, () => void>()
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, () => openSubscriptionSocket(url, changeHandlers)),
  )
  const firstResults = customers.map((customer, i) => {
    const socket = requireValue(sockets[i % SOCKETS], 'a socket')
    const payload = { query: SUBSCRIPTION, variables: { customer } }
    socket.send(JSON.stringify({ id: String(customer), type: 'subscribe', payload }))
    return new Promise<void>((resolve) => changeHandlers.set(customer, resolve))
  })
  await Promise.all(firstResults)
  return { sockets, changeHandlers }
}

async function openSubscriptionSocket(
  url: string,
  changeHandlers: Map<number, () => void>,
): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/graphql`, 'graphql-transport-ws')
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { headers: ENGINE_HEADERS } }))
  await once(socket, 'message')
  socket.on('message', (data) => {
    const { type, id, payload } = ServerMessage.parse(JSON.parse(String(data)))
    if (type === 'ping') return socket.send('{"type":"pong"}')
    if (type !== 'next' || payload?.errors) throw new Error(`A live query failed: ${data}`)
    changeHandlers.get(Number(id))?.()
  })
  return socket
}

/** Changes rows at a steady rate. @returns the time from each commit to its subscriber in ms, in order */
async function changeRows(
  databaseUrl: string,
  customers: readonly number[],
  { changeHandlers }: Subscriptions,
): Promise<number[]> {
  const client = new Client(databaseUrl)
  await client.connect()
  const lags: Promise<number>[] = []
  for (let n = 0; n < SECONDS * CHANGES_PER_SECOND; n++) {
    const customer = requireValue(customers[(n * 7) % customers.length], 'a customer')
    // A customer's first purchase has the customer's number.
    await client.query('update purchase set quantity = quantity + 1 where id = $1', [customer])
    const commitTime = performance.now()
    const notification = new Promise<void>((resolve) => changeHandlers.set(customer, resolve))
    lags.push(notification.then(() => performance.now() - commitTime))
    await sleep(1_000 / CHANGES_PER_SECOND)
  }
  await client.end()
  return Promise.all(lags)
}

function createLagFigures(
  lags: readonly number[],
  { cpuMs, memoryMb }: { cpuMs: number; memoryMb: number },
): Figure[] {
  const half = Math.floor(lags.length / 2)
  const early = percentile(lags.slice(0, half), 0.99)
  const late = percentile(lags.slice(half), 0.99)
  const name = `from a commit to its subscriber, ${COHORTS} cohorts`
  return [
    {
      name: `${name}, p99`,
      value: percentile(lags, 0.99),
      unit: 'ms',
      note: `p50 ${percentile(lags, 0.5).toFixed(0)} ms, most ${Math.max(...lags).toFixed(0)} ms`,
    },
    {
      name: `${name}, p99, second half ÷ first`,
      value: late,
      unit: 'ms',
      baseline: early,
      target: { atMost: 1.2 },
    },
    {
      name: 'CPU of the engine during these changes',
      value: cpuMs / (SECONDS * 1_000),
      unit: 'cores',
      target: { atMost: 1 },
      note: `${memoryMb.toFixed(0)} MB`,
    },
  ]
}
