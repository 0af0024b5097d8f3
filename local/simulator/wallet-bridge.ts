import { randomUUID } from 'node:crypto'
import express, { type Express, type RequestHandler } from 'express'
import { z } from 'zod'

/** An encrypted message, which the bridge cannot read. Both members are base64. */
const Sealed = z.object({ iv: z.string().max(64), payload: z.string().max(64_000) })

type Sealed = z.infer<typeof Sealed>

type Exchange =
  | { status: 'initialized' | 'retrieved'; request: Sealed }
  | { status: 'completed'; response: Sealed }
  | { status: 'handed over' }

/** Exchanges kept at a time; the oldest are forgotten first. */
const MAX_KEPT = 10_000

/**
 * A wallet bridge: a page leaves an encrypted request, a wallet takes it and leaves its encrypted
 * answer, and the page fetches that. Each is handed over once.
 */
export function createWalletBridge(): Express {
  const exchanges = new Map<string, Exchange>()

  const ask: RequestHandler<object, unknown, unknown> = (request, response) => {
    const sealed = Sealed.safeParse(request.body)
    if (!sealed.success) return void response.status(400).end()
    const id = randomUUID()
    exchanges.set(id, { status: 'initialized', request: sealed.data })
    const [oldest] = exchanges.keys()
    if (oldest !== undefined && exchanges.size > MAX_KEPT) exchanges.delete(oldest)
    response.status(201).json({ request_id: id })
  }

  const takeRequest: RequestHandler = (request, response) => {
    const exchange = exchanges.get(String(request.params.id))
    if (exchange?.status !== 'initialized') return void response.status(404).end()
    exchanges.set(String(request.params.id), { ...exchange, status: 'retrieved' })
    response.json(exchange.request)
  }

  const answer: RequestHandler<{ id: string }, unknown, unknown> = (request, response) => {
    const sealed = Sealed.safeParse(request.body)
    if (!sealed.success) return void response.status(400).end()
    if (exchanges.get(String(request.params.id))?.status !== 'retrieved')
      return void response.status(404).end()
    exchanges.set(String(request.params.id), { status: 'completed', response: sealed.data })
    response.status(201).end()
  }

  const takeResponse: RequestHandler = (request, response) => {
    const id = String(request.params.id)
    const exchange = exchanges.get(id)
    if (!exchange) return void response.status(404).end()
    if (exchange.status === 'completed') exchanges.set(id, { status: 'handed over' })
    response.json({
      // IDKit 2 asks every three seconds, answered or not; it gives up when a late question of these is refused.
      status: exchange.status === 'handed over' ? 'retrieved' : exchange.status,
      response: exchange.status === 'completed' ? exchange.response : null,
    })
  }

  const web = express()
  web.disable('x-powered-by')
  web.use(anyOrigin, express.json({ limit: 100_000 }))
  web.post('/request', ask)
  web.get('/request/:id', takeRequest)
  web.put('/response/:id', answer)
  web.get('/response/:id', takeResponse)
  return web
}

/** Open to pages of any origin: sign-in pages may be anywhere. */
const anyOrigin: RequestHandler = (request, response, next) => {
  response.set({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' })
  if (request.method !== 'OPTIONS') return next()
  response.set({ 'access-control-allow-methods': 'GET, POST, PUT' })
  response.set({ 'access-control-allow-headers': 'content-type' }).status(204).end()
}
