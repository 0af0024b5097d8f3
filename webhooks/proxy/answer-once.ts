import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { seal, unseal } from '../../lib/runtime/secrets/seal.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import {
  type IdempotentRequest,
  requireSameRequest,
} from '../../lib/runtime/web/idempotency-key.ts'
import type { LeaseRequestMutation, Sdk } from '../generated/sdk.ts'

export type OnceServices = {
  graphql: Pick<Sdk, 'LeaseRequest' | 'StoreAnswer' | 'EndLease'>
  /** The secrets that encrypt stored responses, since a response may contain personal data. */
  keySecrets: Secrets
}

/** A mutation with an idempotency key. */
export type Mutation = {
  /** The id of the team or user that the idempotency key belongs to. */
  caller: string
  repeatable: IdempotentRequest
  /** True if the response may have a new secret, such as a private key. This response is never stored, not even encrypted. */
  returnsSecret: boolean
  requestId: string
  log: Log
}

type Answer = { status: number; body: Buffer }

/** The response of this request, or the stored body of the first request with the same key. */
type Outcome<Response extends Answer> = { answer: Response } | { storedBody: Buffer }

/** The maximum size of a stored response. For a longer response, only the fact that there was one is stored. */
const MAX_STORED_BYTES = 8_192

/** The timeout of a mutation. The request's lease ends after a minute, so the mutation must end before. */
export const LONGEST_CALL_MS = 50_000

/**
 * Runs a mutation, unless the caller ran a mutation with the same key in the last day. Only a response with data is
 * stored: a refused mutation changed nothing, so the caller may retry it. A response with a new secret is not stored. If the process dies during the mutation, retries
 * are refused until its lease ends, for up to a minute.
 *
 * @throws idempotency_key_reused, request_under_way, answer_not_kept, quota_exceeded, unavailable
 */
export async function answerOnce<Response extends Answer>(
  services: OnceServices,
  mutation: Mutation,
  runMutation: () => Promise<Response>,
): Promise<Outcome<Response>> {
  const { caller, repeatable } = mutation
  const lease = { caller, key_hash: repeatable.keyHash, lease: randomUUID() }
  const headers = { 'x-request-id': mutation.requestId }
  const request = { ...lease, fingerprint: repeatable.fingerprint }
  const [row] = (await services.graphql.LeaseRequest(request, headers)).requests
  if (!row) throw new ApiError('quota_exceeded', { attribute: 'idempotency-key' })
  if (row.lease !== lease.lease)
    return { storedBody: readStoredBody(row, mutation, services.keySecrets) }
  let answer: Response | null = null
  try {
    answer = await runMutation()
    return { answer }
  } finally {
    const isStorable = !mutation.returnsSecret
    await endLease(services, { lease, answer, isStorable, headers }).catch((err: unknown) =>
      mutation.log.error({ err }, 'response not stored for retries'),
    )
  }
}

const SECRET_NOT_KEPT =
  'This request succeeded, but its response was not stored, because it has a secret. Create a new secret with a new idempotency key.'

type StoredRequest = LeaseRequestMutation['requests'][number]

/** Returns the stored response of the request that got the lease first. */
function readStoredBody(
  row: StoredRequest,
  { repeatable, returnsSecret }: Mutation,
  secrets: Secrets,
): Buffer {
  requireSameRequest(row, repeatable)
  if (!row.is_answered) throw new ApiError('request_under_way', { retryAfterSeconds: 1 })
  if (returnsSecret) throw new ApiError('answer_not_kept', { detail: SECRET_NOT_KEPT })
  if (row.answer_encrypted === null) throw new ApiError('answer_not_kept')
  try {
    return Buffer.from(unseal(row.answer_encrypted, { secrets, owner: row.lease }))
  } catch (cause) {
    // The operator has removed the secret that encrypted the response.
    throw new ApiError('answer_not_kept', { cause })
  }
}

type EndOfLease = {
  lease: { caller: string; key_hash: string; lease: string }
  answer: Answer | null
  /** False if only the fact that there was a response is stored. */
  isStorable: boolean
  headers: Record<string, string>
}

async function endLease(
  { graphql, keySecrets: secrets }: OnceServices,
  { lease, answer, isStorable, headers }: EndOfLease,
) {
  if (!answer || !hasData(answer)) return graphql.EndLease(lease, headers)
  const isShort = answer.body.length <= MAX_STORED_BYTES
  const encryptedBody =
    isShort && isStorable ? seal(answer.body.toString(), { secrets, owner: lease.lease }) : null
  return graphql.StoreAnswer({ ...lease, answer: encryptedBody }, headers)
}

const Entry = z.looseObject({ data: z.unknown().optional() })
const Body = z.union([z.array(Entry), Entry.transform((entry) => [entry])])

/** True if a response, or any response of a batch, has data. A long response has data, because refusals are short. */
function hasData({ status, body }: Answer): boolean {
  if (status !== 200) return false
  if (body.length > MAX_STORED_BYTES) return true
  const entries = Body.parse(JSON.parse(body.toString()))
  return entries.some(({ data }) => data !== undefined && data !== null)
}
