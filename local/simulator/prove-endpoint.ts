import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import { z } from 'zod'
import { parseField } from '../../lib/proof/encoding.ts'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'
import { refuseOtherHosts } from '../../lib/runtime/http/own-hosts.ts'
import { firstIssue, parseInWords } from '../../lib/runtime/parse-in-words.ts'
import { ProveInput4, proveForPerson4 } from './protocol-4/prove-input.ts'
import { WalletRefusal } from './protocol-4/refusal.ts'
import { proveForPerson } from './prove-for-person.ts'
import type { WalletTools } from './wallet-tools.ts'

/** The fields of the body. The command `simulate` has an option for each. */
const ProveInput = z
  .strictObject({
    protocol: z.literal('3.0').default('3.0'),
    app_id: z.string(),
    action: z.string(),
    identity: z.string().default('person-0'),
    signal: z.string().optional(),
    signal_hash: z
      .string()
      .transform((text, context) => {
        const hash = parseField(text)
        if (hash === null) context.addIssue('Must be 1 to 64 hex digits below the modulus.')
        return hash ?? z.NEVER
      })
      .optional(),
    level: z.enum(VERIFICATION_LEVELS).default('orb'),
  })
  .refine(({ signal, signal_hash }) => signal === undefined || signal_hash === undefined, {
    error: 'Send signal or signal_hash, not both.',
  })

/**
 * `POST /prove`, for programs that test an app: makes a proof of a simulated person. The response is the body for
 * `POST /api/v2/verify/{app_id}`, or with `"protocol": "4.0"` for `POST /api/v4/verify/{app_id}`. Accepts only JSON, which pages of other sites cannot send.
 */
export function createProveEndpoint(tools: WalletTools): Express {
  const web = express()
  web.disable('x-powered-by')
  web.post(
    '/prove',
    refuseOtherHosts,
    express.json(),
    async (request: Request<object, object, unknown>, response) => {
      if (request.body === undefined) {
        const detail = 'Send a JSON body with the header content-type: application/json.'
        return void response.status(400).json({ detail })
      }
      const isProtocol4 = Protocol4.safeParse(request.body).success
      const answer = isProtocol4 ? proveWithProtocol4 : proveWithProtocol3
      response.json(await answer(request.body, tools))
    },
  )
  web.use('/prove', explainFailure)
  return web
}

const Protocol4 = z.looseObject({ protocol: z.literal('4.0') })

function proveWithProtocol4(body: unknown, { rpcUrl, protocol4 }: WalletTools) {
  return proveForPerson4(parseInput(ProveInput4, body), { rpcUrl, ...protocol4 })
}

function proveWithProtocol3(body: unknown, tools: WalletTools) {
  const { app_id, identity, signal_hash, protocol: _, ...purpose } = parseInput(ProveInput, body)
  const proofPurpose = { appId: app_id, signalHash: signal_hash, ...purpose }
  return proveForPerson(identity, proofPurpose, tools)
}

/** The error for a body with a wrong field. */
class WrongInput extends Error {}

function parseInput<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const input = parseInWords(schema, body)
  if (input.success) return input.data
  const { path, message } = firstIssue(input.error)
  throw new WrongInput([path.join('.'), message].filter(Boolean).join(': '))
}

const explainFailure: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const detail = error instanceof Error ? error.message : String(error)
  response.status(refusalStatus(error)).json({ detail })
}

/**
 * Returns 400 for a wrong field and for a person without the credential, the status of the body parser's error, such as 413
 * for a body that is too large, and 500 for other errors.
 */
function refusalStatus(error: unknown): number {
  if (error instanceof WrongInput || error instanceof WalletRefusal) return 400
  const parserError = ParserError.safeParse(error)
  return parserError.success ? parserError.data.status : 500
}

const ParserError = z.looseObject({ status: z.int().min(400).max(499) })
