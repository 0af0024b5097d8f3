import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import { z } from 'zod'
import { parseField } from '../../lib/proof/encoding.ts'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'
import { refuseOtherHosts } from '../../lib/runtime/http/own-hosts.ts'
import { firstIssue, parseInWords } from '../../lib/runtime/parse-in-words.ts'
import { type ProvingTools, proveForPerson } from './prove-for-person.ts'

/** The fields of the body. The command `simulate` has an option for each. */
const ProveInput = z
  .strictObject({
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
 * `POST /api/v2/verify/{app_id}`. Accepts only JSON, which pages of other sites cannot send.
 */
export function createProveEndpoint(tools: ProvingTools): Express {
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
      const input = parseInWords(ProveInput, request.body)
      if (!input.success) {
        const { path, message } = firstIssue(input.error)
        const detail = [path.join('.'), message].filter(Boolean).join(': ')
        return void response.status(400).json({ detail })
      }
      const { app_id: appId, identity, signal_hash: signalHash, ...purpose } = input.data
      response.json(await proveForPerson(identity, { appId, signalHash, ...purpose }, tools))
    },
  )
  web.use('/prove', explainFailure)
  return web
}

const explainFailure: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const detail = error instanceof Error ? error.message : String(error)
  response.status(refusalStatus(error)).json({ detail })
}

/** Returns the status of the body parser's error, such as 413 for a body that is too large; 500 for other errors. */
function refusalStatus(error: unknown): number {
  const parserError = ParserError.safeParse(error)
  return parserError.success ? parserError.data.status : 500
}

const ParserError = z.looseObject({ status: z.int().min(400).max(499) })
