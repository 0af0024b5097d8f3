import { randomUUID } from 'node:crypto'
import express, { type Express, type RequestHandler } from 'express'
import { z } from 'zod'

/** An encrypted message, which the bridge cannot read. Both fields are base64. */
const EncryptedMessage = z.object({ iv: z.string().max(64), payload: z.string().max(64_000) })

type EncryptedMessage = z.infer<typeof EncryptedMessage>

/** A request of a page. IDKit 4 chooses the id itself if the person types a code instead of opening a link. */
const EncryptedRequest = EncryptedMessage.extend({
  request_id: z.string().min(16).max(128).optional(),
})

type Exchange =
  | { status: 'initialized' | 'retrieved'; request: EncryptedMessage }
  | { status: 'completed'; response: EncryptedMessage }
  | { status: 'delivered' }

/** The maximum number of exchanges in memory. The oldest exchange is dropped first. */
const MAX_EXCHANGES = 10_000

/**
 * Creates a wallet bridge. A page posts an encrypted request, a wallet fetches it and posts an encrypted response,
 * and the page fetches the response. Each message is delivered once.
 */
export function createWalletBridge(): Express {
  const exchanges = new Map<string, Exchange>()

  const postRequest: RequestHandler<object, unknown, unknown> = (request, response) => {
    const message = EncryptedRequest.safeParse(request.body)
    if (!message.success) return void response.status(400).end()
    const { request_id: id = randomUUID(), ...encryptedRequest } = message.data
    if (exchanges.has(id)) return void response.status(409).end()
    exchanges.set(id, { status: 'initialized', request: encryptedRequest })
    dropOldest(exchanges)
    response.status(201).json({ request_id: id })
  }

  const getRequest: RequestHandler = (request, response) => {
    const exchange = exchanges.get(String(request.params.id))
    if (exchange?.status !== 'initialized') return void response.status(404).end()
    exchanges.set(String(request.params.id), { ...exchange, status: 'retrieved' })
    response.json(exchange.request)
  }

  const putResponse: RequestHandler<{ id: string }, unknown, unknown> = (request, response) => {
    const message = EncryptedMessage.safeParse(request.body)
    if (!message.success) return void response.status(400).end()
    if (exchanges.get(String(request.params.id))?.status !== 'retrieved')
      return void response.status(404).end()
    exchanges.set(String(request.params.id), { status: 'completed', response: message.data })
    response.status(201).end()
  }

  const getResponse: RequestHandler = (request, response) => {
    const id = String(request.params.id)
    const exchange = exchanges.get(id)
    if (!exchange) return void response.status(404).end()
    if (exchange.status === 'completed') exchanges.set(id, { status: 'delivered' })
    response.json({
      // IDKit 2 polls even after it has got the response, and would give up if such a late poll failed.
      status: exchange.status === 'delivered' ? 'retrieved' : exchange.status,
      response: exchange.status === 'completed' ? exchange.response : null,
    })
  }

  const web = express()
  web.disable('x-powered-by')
  web.use(anyOrigin, express.json({ limit: 100_000 }))
  web.post('/request', postRequest)
  web.get('/request/:id', getRequest)
  web.put('/response/:id', putResponse)
  web.get('/response/:id', getResponse)
  return web
}

function dropOldest(exchanges: Map<string, Exchange>) {
  const [oldest] = exchanges.keys()
  if (oldest !== undefined && exchanges.size > MAX_EXCHANGES) exchanges.delete(oldest)
}

/** Allows pages of any origin, because sign-in pages may have any origin. */
const anyOrigin: RequestHandler = (request, response, next) => {
  response.set({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' })
  if (request.method !== 'OPTIONS') return next()
  response.set({ 'access-control-allow-methods': 'GET, POST, PUT' })
  response.set({ 'access-control-allow-headers': 'content-type' }).status(204).end()
}
