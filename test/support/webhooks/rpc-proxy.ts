import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

type Item = { id: number; method: string; params?: unknown[]; result?: unknown; error?: unknown }

/** How the server misbehaves; each is given what was asked and what the chain answers. */
type Manner = {
  /** Milliseconds until it answers. */
  delayMs?: number
  /** How many requests are refused with 429, and how long the caller is told to wait. */
  limited?: { times: number; retryAfter?: string }
  status?: number
  /** In the place of the answer. */
  text?: string
  /** Changes the answers of a request. */
  alter?: (answers: Item[], asked: Item[]) => Item[]
}

export type RpcProxy = {
  url: string
  manner: Manner
  /** Everything that was asked since the last reset, and the most requests at one time. */
  seen: { calls: { method: string; params: unknown[] }[]; requests: number; mostUnderWay: number }
  reset(): void
  stop(): Promise<void>
}

/** A server between a reader and a chain, which misbehaves as a test asks, like hosted ones do. */
export async function startRpcProxy(rpcUrl: string): Promise<RpcProxy> {
  let underWay = 0
  const nothing = () => ({ calls: [], requests: 0, mostUnderWay: 0 })
  const server: Server = createServer(async (request, response) => {
    underWay++
    proxy.seen.requests++
    proxy.seen.mostUnderWay = Math.max(proxy.seen.mostUnderWay, underWay)
    response.once('close', () => underWay--)
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const asked: Item[] = [JSON.parse(body)].flat()
    proxy.seen.calls.push(...asked.map(({ method, params = [] }) => ({ method, params })))
    const { delayMs = 0, limited, status = 200, text, alter } = proxy.manner
    await pause(delayMs)
    // Who asked has given up, and the chain behind may have ended.
    if (response.destroyed) return
    if (limited && limited.times-- > 0) {
      const { retryAfter } = limited
      response.writeHead(429, retryAfter ? { 'retry-after': retryAfter } : {}).end()
      return
    }
    const answers: Item[] = await ask(rpcUrl, asked)
    const altered = alter ? alter(answers, asked) : answers
    const told = Array.isArray(JSON.parse(body)) ? altered : altered[0]
    response.writeHead(status).end(text ?? JSON.stringify(told))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v3/secret-key`,
    manner: {},
    seen: nothing(),
    reset() {
      proxy.manner = {}
      proxy.seen = nothing()
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

async function ask(rpcUrl: string, asked: Item[]): Promise<Item[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(asked) })
  const answers: Item[] = JSON.parse(await response.text())
  return answers
}

/** Alters the answers to one method. */
export function altering(method: string, change: (result: unknown, asked: Item) => unknown) {
  return (answers: Item[], asked: Item[]): Item[] =>
    answers.map((answer) => {
      const call = asked.find(({ id }) => id === answer.id)
      return call?.method === method ? { ...answer, result: change(answer.result, call) } : answer
    })
}
