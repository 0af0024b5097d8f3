import type { RequestHandler } from 'express'
import { z } from 'zod'
import { batchCalls } from '../../lib/runtime/calls/batch-calls.ts'
import { ApiError } from '../../lib/runtime/errors.ts'
import { isStorableText } from '../../lib/runtime/hasura/storable-text.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { createRequestValue } from '../../lib/runtime/http/request-value.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import {
  explainApiKey,
  explainMalformed,
  isUsableApiKey,
  parseApiKey,
} from '../credentials/api-key.ts'
import { bearerToken } from '../credentials/bearer.ts'
import type { RecordKeyUse } from '../credentials/record-key-use.ts'
import type { Sdk, TransactionQuery } from '../generated/sdk.ts'
import { timestamp } from '../route/answer-schemas.ts'
import { BEARER } from '../route/audiences.ts'
import { requiredText } from '../route/input-text.ts'
import { apiKeyId } from '../route/rate-limits.ts'
import type { ReadStatus } from './status-reader.ts'

const Type = z.enum(['payment', 'transaction'])

const commonFields = {
  app_id: requiredText,
  type: requiredText
    .refine((text) => Type.safeParse(text).success, {
      error: 'Must be payment or transaction.',
      params: { code: 'invalid_request' },
    })
    .pipe(Type),
}

/** The path and query string of `GET /api/v2/minikit/transaction/{transaction_id}` (spec 4.1). */
export const TransactionInput = z.object({
  transaction_id: z
    .string()
    .describe(
      'The id (`txn_…`), the hash on the chain, or the `transaction_id` that MiniKit reported',
    ),
  ...commonFields,
})

/** The query string of `GET /api/v2/minikit/transaction` (spec 4.1). */
export const ReferenceInput = z.object({
  reference: requiredText.describe("The app's name for the transaction"),
  ...commonFields,
})

/** The response (spec 2.13). A field without a value is an empty text. */
const TransactionOutput = z.strictObject({
  reference: z.string(),
  transaction_hash: z.string(),
  transaction_status: z.enum(['pending', 'mined', 'failed']),
  from: z.string(),
  chain: z.string(),
  timestamp: timestamp.describe('When the app entered the transaction'),
  block_timestamp: z.string().describe('The time of its block; empty while it is in no block'),
  token_amount: z.string().describe('An integer with 6 decimals, for every token'),
  token: z.string(),
  to: z.string(),
  app_id: z.string(),
})

export type TransactionServices = {
  graphql: Sdk
  peppers: Secrets
  recordKeyUse: RecordKeyUse
  readTransactionStatus: ReadStatus
}

type Transaction = TransactionQuery['transaction'][number]
type TransactionLookup = {
  keyId: string
  appId: string
  transactionId: string
  reference: string
  requestId: string
}

/**
 * Returns the status of a payment or another transaction, for the team of the app that entered it.
 *
 * @returns spec 2.13
 * @throws unauthenticated, required, invalid_request, invalid_app, not_found, unavailable
 */
export const transaction = statusOperation('transaction_id', {
  summary: 'The status of a payment or another transaction',
})

/** Returns the status of a transaction, found by the app's reference. */
export const transactionByReference = statusOperation('reference', {
  summary: "The status of a payment or another transaction, by the app's reference",
  // Without a reference, the other operation reports the missing id.
  takes: ({ query }) => query.reference !== undefined,
})

type Input = { type: string }

/** The attribute that identifies a transaction: its id or hash, or the app's reference. */
type KeyAttribute = 'transaction_id' | 'reference'

function statusOperation(
  attribute: KeyAttribute,
  options: Pick<Operation<TransactionServices, Input>, 'summary' | 'takes'>,
): Operation<TransactionServices, Input> {
  return {
    ...options,
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
    handle({ readTransactionStatus }) {
      return async ({ type }, _request, response) => {
        const { team_id, row } = requireTransaction(lookupRows.get(response), { type, attribute })
        const context = requestContext.get(response)
        const status = await readTransactionStatus({ ...row, team_id }, context)
        response.json(toTransactionOutput({ ...row, ...status }))
      }
    },
  }
}

function requireTransaction(
  { key, app, transactions }: LookupRows,
  { type, attribute }: { type: string; attribute: string },
) {
  if (!key || app?.team_id !== key.team_id)
    throw new ApiError('invalid_app', { attribute: 'app_id' })
  const candidates = transactions.filter((candidate) => candidate.type === type)
  // Several rows may have the same hash, for example if an earlier row failed. Prefers a row that has not failed.
  const row =
    candidates.find((candidate) => candidate.transaction_status !== 'failed') ?? candidates[0]
  if (!row) throw new ApiError('not_found', { attribute })
  return { team_id: key.team_id, row }
}

/**
 * Finds the key, the app and the transaction in one query. A caller with a wrong key learns nothing about the app and the
 * transaction. Looks the key up for each request, so that a revoked key stops working at once.
 */
function authenticateApiKey(
  { graphql, peppers, recordKeyUse }: TransactionServices,
  attribute: KeyAttribute,
): RequestHandler {
  const findRowsOf = shareLookups(graphql)
  return async (request, response, next) => {
    const { authorization } = request.headers
    const key = parseApiKey(bearerToken(authorization))
    if (!key) throw new ApiError('unauthenticated', { detail: explainMalformed(authorization) })
    const names = readNames(attribute, { ...request.query, ...request.params })
    const { requestId } = requestContext.get(response)
    const rows = await findRowsOf({ ...names, keyId: key.id, requestId })
    if (!isUsableApiKey(peppers, key, rows.key))
      throw new ApiError('unauthenticated', { detail: explainApiKey(peppers, key, rows.key) })
    recordKeyUse(rows.key)
    lookupRows.set(response, rows)
    apiKeyId.set(response, key.id)
    next()
  }
}

/** Creates the function that finds the rows of a lookup. Concurrent lookups share one query. */
function shareLookups(graphql: Sdk) {
  const findRows = async (lookups: readonly TransactionLookup[]) => {
    const result = await graphql.Transaction(
      {
        keys: distinct(lookups.map(({ keyId }) => keyId)),
        apps: distinct(lookups.map(({ appId }) => appId)),
        ids: distinct(lookups.map(({ transactionId }) => transactionId)),
        references: distinct(lookups.map(({ reference }) => reference)),
      },
      { 'x-request-id': lookups.map(({ requestId }) => requestId).join() },
    )
    return lookups.map((lookup) => pickRows(lookup, result))
  }
  return batchCalls(findRows, { maxBatch: 100, maxUnderWay: 2 })
}

type LookupRows = ReturnType<typeof pickRows>

const lookupRows = createRequestValue<LookupRows>(
  'the rows of the key, the app and the transaction',
)

function pickRows(
  { keyId, appId, transactionId, reference }: TransactionLookup,
  result: TransactionQuery,
) {
  const rowsOfApp = result.transaction.filter((row) => row.app_id === appId)
  const matches = rowsOfApp.filter(
    (row) =>
      row.id === transactionId ||
      row.transaction_hash === transactionId ||
      row.reference === reference,
  )
  // A wallet can report any transaction_id, also the hash of another payment. The chain's hash comes first.
  const reported = rowsOfApp.filter((row) => row.transaction_id === transactionId)
  return {
    key: result.api_key.find(({ id }) => id === keyId),
    app: result.app.find(({ id }) => id === appId),
    transactions: matches.length > 0 ? matches : reported,
  }
}

/** Replaces malformed ids with an empty text: PostgreSQL rejects some texts, and other requests share the query and its error. */
function readNames(
  attribute: KeyAttribute,
  { app_id, [attribute]: value }: Record<string, unknown>,
) {
  const isStorable = typeof value === 'string' && isStorableText(value)
  return {
    appId: plausibleId(app_id),
    transactionId: attribute === 'transaction_id' ? plausibleId(value).toLowerCase() : '',
    reference: attribute === 'reference' && isStorable ? value : '',
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
