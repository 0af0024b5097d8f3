import type { RequestHandler } from 'express'
import { z } from 'zod'
import { batchCalls } from '../../lib/runtime/calls/batch-calls.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { requestValue } from '../../lib/runtime/http/request-value.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import {
  explainApiKey,
  explainMalformed,
  isUsableApiKey,
  parseApiKey,
} from '../credentials/api-key.ts'
import { bearerToken } from '../credentials/bearer.ts'
import type { NoteKeyUse } from '../credentials/note-key-use.ts'
import type { Sdk, TransactionQuery } from '../generated/sdk.ts'
import { timestamp } from '../route/answer-schemas.ts'
import { BEARER } from '../route/audiences.ts'
import { requiredText } from '../route/input-text.ts'
import { apiKeyId } from '../route/rate-limits.ts'
import type { ReadAgain } from './refresh-when-asked.ts'

const Type = z.enum(['payment', 'transaction'])

const asked = {
  app_id: requiredText,
  type: requiredText
    .refine((text) => Type.safeParse(text).success, {
      error: 'Must be payment or transaction.',
      params: { code: 'invalid_request' },
    })
    .pipe(Type),
}

/** Path and query string of `GET /api/v2/minikit/transaction/{transaction_id}` (spec 4.1). */
export const TransactionInput = z.object({
  transaction_id: z.string().describe('The id (`txn_…`), or the hash on the chain'),
  ...asked,
})

/** Query string of `GET /api/v2/minikit/transaction` (spec 4.1). */
export const ReferenceInput = z.object({
  reference: requiredText.describe("The app's own name for it"),
  ...asked,
})

/** Spec 2.13; a field without a value is an empty text. */
const TransactionOutput = z.strictObject({
  reference: z.string(),
  transaction_hash: z.string(),
  transaction_status: z.enum(['pending', 'mined', 'failed']),
  from: z.string(),
  chain: z.string(),
  timestamp: timestamp.describe('When it was entered'),
  block_timestamp: z.string().describe('The time of its block; empty until it is in one'),
  token_amount: z.string().describe("An integer with 6 decimals, whatever the token's own are"),
  token: z.string(),
  to: z.string(),
  app_id: z.string(),
})

export type TransactionServices = {
  graphql: Sdk
  peppers: Secrets
  noteKeyUse: NoteKeyUse
  readTransactionAgain: ReadAgain
}

type Transaction = TransactionQuery['transaction'][number]
type Question = {
  keyId: string
  appId: string
  transactionId: string
  reference: string
  requestId: string
}

/**
 * The status of a payment or another transaction, for the team whose app entered it.
 *
 * @returns spec 2.13
 * @throws unauthenticated, required, invalid_request, invalid_app, not_found, unavailable
 */
export const transaction = statusOperation('transaction_id', {
  summary: 'The status of a payment or another transaction',
})

/** The same, found by the name that the app gave it. */
export const transactionByReference = statusOperation('reference', {
  summary: "The status of a payment or another transaction, by the app's own name for it",
  // Without one, the other operation says what is missing.
  takes: ({ query }) => query.reference !== undefined,
})

type Input = { type: string }

/** What a transaction is found by: its id or hash, or the app's own name for it. */
type Name = 'transaction_id' | 'reference'

function statusOperation(
  attribute: Name,
  own: Pick<Operation<TransactionServices, Input>, 'summary' | 'takes'>,
): Operation<TransactionServices, Input> {
  return {
    ...own,
    tag: 'Payments',
    security: BEARER,
    answers: { 200: TransactionOutput },
    errors: [
      'unauthenticated',
      'required',
      'invalid_request',
      'invalid_app',
      'not_found',
      'unavailable',
    ],
    before: (services) => authenticateApiKey(services, attribute),
    handle({ readTransactionAgain }) {
      return async ({ type }, _request, response) => {
        const { team_id, row } = requireTransaction(foundRows.get(response), { type, attribute })
        const context = requestContext.get(response)
        const fresh = await readTransactionAgain({ ...row, team_id }, context)
        response.json(toTransactionOutput({ ...row, ...fresh }))
      }
    },
  }
}

function requireTransaction(
  { key, app, transactions }: Found,
  { type, attribute }: { type: string; attribute: string },
) {
  if (!key || app?.team_id !== key.team_id)
    throw new ApiError('invalid_app', { attribute: 'app_id' })
  const found = transactions.filter((one) => one.type === type)
  // A failed one leaves its hash to others, so of several with a hash another is meant.
  const row = found.find((one) => one.transaction_status !== 'failed') ?? found[0]
  if (!row) throw new ApiError('not_found', { attribute })
  return { team_id: key.team_id, row }
}

/**
 * Finds key, app and transaction in one query, and reveals nothing about the other two before the key is
 * proved right. The key is looked up each time: it is dead the moment its row says so.
 */
function authenticateApiKey(
  { graphql, peppers, noteKeyUse }: TransactionServices,
  name: Name,
): RequestHandler {
  const lookUp = shareLookups(graphql)
  return async (request, response, next) => {
    const { authorization } = request.headers
    const key = parseApiKey(bearerToken(authorization))
    if (!key) throw new ApiError('unauthenticated', { detail: explainMalformed(authorization) })
    const asked = toQuestion(name, { ...request.query, ...request.params })
    const { requestId } = requestContext.get(response)
    const found = await lookUp({ ...asked, keyId: key.id, requestId })
    if (!isUsableApiKey(peppers, key, found.key))
      throw new ApiError('unauthenticated', { detail: explainApiKey(peppers, key, found.key) })
    noteKeyUse(found.key)
    foundRows.set(response, found)
    apiKeyId.set(response, key.id)
    next()
  }
}

/** Requests that come together share one query. */
function shareLookups(graphql: Sdk) {
  const ask = async (questions: readonly Question[]) => {
    const found = await graphql.Transaction(
      {
        keys: distinct(questions.map(({ keyId }) => keyId)),
        apps: distinct(questions.map(({ appId }) => appId)),
        ids: distinct(questions.map(({ transactionId }) => transactionId)),
        references: distinct(questions.map(({ reference }) => reference)),
      },
      { 'x-request-id': questions.map(({ requestId }) => requestId).join() },
    )
    return questions.map((question) => pickFound(question, found))
  }
  return batchCalls(ask, { maxBatch: 100, maxUnderWay: 2 })
}

type Found = ReturnType<typeof pickFound>

const foundRows = requestValue<Found>('the rows of the key, the app and the transaction')

function pickFound({ keyId, appId, transactionId, reference }: Question, found: TransactionQuery) {
  const isAskedFor = (row: Transaction) =>
    row.id === transactionId ||
    row.transaction_hash === transactionId ||
    row.reference === reference
  return {
    key: found.api_key.find(({ id }) => id === keyId),
    app: found.app.find(({ id }) => id === appId),
    transactions: found.transaction.filter((row) => row.app_id === appId && isAskedFor(row)),
  }
}

/** A text that cannot be an id is not looked up: PostgreSQL refuses some, and the query is shared. */
function toQuestion(name: Name, { app_id, [name]: named }: Record<string, unknown>) {
  const isName = typeof named === 'string' && isStorableText(named)
  return {
    appId: plausibleId(app_id),
    transactionId: name === 'transaction_id' ? plausibleId(named).toLowerCase() : '',
    reference: name === 'reference' && isName ? named : '',
  }
}

function plausibleId(value: unknown): string {
  return typeof value === 'string' && /^\w{1,66}$/.test(value) ? value : ''
}

function distinct(texts: string[]): string[] {
  return [...new Set(texts)]
}

function toTransactionOutput(row: Transaction) {
  return {
    reference: row.reference,
    transaction_hash: row.transaction_hash,
    transaction_status: row.transaction_status,
    from: row.from,
    chain: row.chain,
    timestamp: row.timestamp,
    block_timestamp: row.block_timestamp ?? '',
    token_amount: row.token_amount,
    token: row.token,
    to: row.to,
    app_id: row.app_id,
  }
}
