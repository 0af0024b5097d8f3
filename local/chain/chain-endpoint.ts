import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import { z } from 'zod'
import { isOwnOrigin, refuseOtherHosts } from '../../lib/runtime/http/own-hosts.ts'
import { askAnvil } from './anvil-socket.ts'

/** A JSON-RPC 2.0 call. The id is required, because anvil does not answer notifications. */
const Call = z.looseObject({ id: z.union([z.string(), z.number()]), method: z.string() })

const Calls = z.union([Call, z.array(Call).min(1)])

/** The methods that a page of this machine may call: the methods that a payment page needs. None changes the chain. */
const PAGE_METHODS: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
])

/** anvil's methods that programs may call: the methods that the platform, its demo and its tests need. */
const ANVIL_METHODS: ReadonlySet<string> = new Set([
  'anvil_dropTransaction',
  'anvil_dumpState',
  'anvil_impersonateAccount',
  'anvil_loadState',
  'anvil_mine',
  'anvil_reorg',
  'anvil_rollback',
  'anvil_setBalance',
  'anvil_setCode',
])

/** The maximum size of a body in bytes, the same as anvil's limit. */
const MAX_BODY = 2_000_000

/**
 * Creates the local chain's JSON-RPC endpoint over HTTP, for programs and pages of this machine.
 *
 * anvil signs for its accounts, and `anvil_reset` makes it call any address. So a request with a foreign host name
 * gets 421 (DNS rebinding), a page of another site gets 403, and a page of this machine may only read. WebSockets are
 * not supported, because browsers do not apply CORS to them.
 *
 * @param path the path of anvil's Unix socket
 */
export function createChainEndpoint(path: string): Express {
  const web = express()
  web.disable('x-powered-by')
  web.use(refuseOtherHosts)
  web.use(({ headers: { origin } }, response, next) => {
    if (origin === undefined) return next()
    if (!isOwnOrigin(origin)) throw new Refusal(403, `Pages of ${origin} may not use this chain.`)
    response.set({ 'access-control-allow-origin': origin, vary: 'origin' })
    next()
  })
  web.options('/', (_request, response) => {
    response.set('access-control-allow-headers', 'content-type').status(204).end()
  })
  web.post('/', express.json({ limit: MAX_BODY }), async (request: Request<object>, response) => {
    const calls = parseCalls(request)
    const callerAbort = new AbortController()
    response.once('close', () => callerAbort.abort())
    const answer = await askAnvil(path, JSON.stringify(calls), callerAbort.signal).catch(
      (cause: unknown) => {
        throw new Refusal(502, 'The local chain does not respond.', { cause })
      },
    )
    response.type('json').send(answer)
  })
  web.use(() => {
    throw new Refusal(
      405,
      'This is a JSON-RPC endpoint: send POST / with a JSON body. WebSockets are not supported.',
    )
  })
  web.use(answerRefusal)
  return web
}

class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Parses the calls of a request. @throws Refusal if the body is wrong, or if the caller may not make one of the calls */
function parseCalls({ headers: { origin }, body }: Request<object, unknown, unknown>) {
  const calls = Calls.safeParse(body)
  if (!calls.success)
    throw new Refusal(
      400,
      'Send a JSON-RPC call with id and method, or an array of calls, as application/json.',
    )
  for (const { method } of [calls.data].flat()) {
    if (origin !== undefined && !PAGE_METHODS.has(method))
      throw new Refusal(403, `A web page may not call ${method} on this chain; only a program may.`)
    if (!/^(eth|net|web3|evm)_/.test(method) && !ANVIL_METHODS.has(method))
      throw new Refusal(403, `The local chain does not offer ${method}.`)
  }
  return calls.data
}

/** Responds with a JSON-RPC error that has the code for an invalid request. */
const answerRefusal: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const { status, message } = RefusalFields.parse(error)
  response.status(status).json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } })
}

/** A `Refusal`, or Express's error for a body that it cannot read. */
const RefusalFields = z.object({ status: z.number().default(500), message: z.string() })
