import { createServer, type Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

type Item = { id: number; method: string; params?: unknown[]; result?: unknown; error?: unknown }

/** The misbehaviour of the server. */
type Manner = {
  /** The delay of a response, in milliseconds. */
  delayMs?: number
  /** The number of requests that get 429, and the retry-after header of these responses. */
  limited?: { times: number; retryAfter?: string }
  status?: number
  /** The text that replaces the response. */
  text?: string
  /** Alters the responses to a batch of calls. */
  alter?: (answers: Item[], calls: Item[]) => Item[]
}

export type RpcProxy = {
  url: string
  manner: Manner
  /**
   * The calls and the number of requests since the last reset, and the most simultaneous requests.
   */
  traffic: {
    calls: { method: string; params: unknown[] }[]
    requests: number
    mostConcurrent: number
  }
  reset(): void
  stop(): Promise<void>
}

/** Starts a proxy between the platform and a chain. The proxy can misbehave as hosted RPC servers do. */
export async function startRpcProxy(rpcUrl: string): Promise<RpcProxy> {
  let running = 0
  const emptyTraffic = () => ({ calls: [], requests: 0, mostConcurrent: 0 })
  const server: Server = createServer(async (request, response) => {
    running++
    proxy.traffic.requests++
    proxy.traffic.mostConcurrent = Math.max(proxy.traffic.mostConcurrent, running)
    response.once('close', () => running--)
    const body = (await request.setEncoding('utf8').toArray()).join('')
    const calls: Item[] = [JSON.parse(body)].flat()
    proxy.traffic.calls.push(...calls.map(({ method, params = [] }) => ({ method, params })))
    const { delayMs = 0, limited, status = 200, text, alter } = proxy.manner
    await pause(delayMs)
    // The platform no longer waits for this response, and the chain may have stopped.
    if (response.destroyed) return
    if (limited && limited.times-- > 0) {
      const { retryAfter } = limited
      response.writeHead(429, retryAfter ? { 'retry-after': retryAfter } : {}).end()
      return
    }
    const answers: Item[] = await callChain(rpcUrl, calls)
    const alteredAnswers = alter ? alter(answers, calls) : answers
    const reply = Array.isArray(JSON.parse(body)) ? alteredAnswers : alteredAnswers[0]
    response.writeHead(status).end(text ?? JSON.stringify(reply))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v3/secret-key`,
    manner: {},
    traffic: emptyTraffic(),
    reset() {
      proxy.manner = {}
      proxy.traffic = emptyTraffic()
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}

async function callChain(rpcUrl: string, calls: Item[]): Promise<Item[]> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(calls) })
  const answers: Item[] = JSON.parse(await response.text())
  return answers
}

/** Returns a function that alters the responses to one method. */
export function altering(method: string, change: (result: unknown, call: Item) => unknown) {
  return (answers: Item[], calls: Item[]): Item[] =>
    answers.map((answer) => {
      const call = calls.find(({ id }) => id === answer.id)
      return call?.method === method ? { ...answer, result: change(answer.result, call) } : answer
    })
}
