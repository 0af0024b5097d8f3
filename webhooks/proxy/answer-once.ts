import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Log } from '../../lib/runtime/log/log.ts'
import { seal, unseal } from '../../lib/runtime/secrets/seal.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import { type Repeatable, requireSameRequest } from '../../lib/runtime/web/idempotency-key.ts'
import type { LeaseRequestMutation, Sdk } from '../generated/sdk.ts'

export type OnceServices = {
  graphql: Pick<Sdk, 'LeaseRequest' | 'StoreAnswer' | 'EndLease'>
  /** Seal the answers that are kept, since they may contain secrets. */
  keySecrets: Secrets
}

/** A mutation that is carried out once. */
export type Mutation = {
  /** The id of the team or user: keys are theirs. */
  caller: string
  repeatable: Repeatable
  requestId: string
  log: Log
}

type Answer = { status: number; body: Buffer }

/** What was done: the answer of this request, or the body of an earlier one's. */
type Outcome<Own extends Answer> = { own: Own } | { earlier: Buffer }

/** Longer answers are not kept; only that there was one. */
const MAX_KEPT_BYTES = 8_192

/** A lease ends after a minute: the request that has the lease must have finished by then. */
export const LONGEST_CALL_MS = 50_000

/**
 * Carries a mutation out, unless one with the same key was in the last day. Only an answer with data is kept: what was
 * refused has changed nothing, and may be tried again. A process that dies on the way leaves a lease behind, which
 * refuses retries for a minute.
 *
 * @throws idempotency_key_reused, request_under_way, answer_not_kept, quota_exceeded, unavailable
 */
export async function answerOnce<Own extends Answer>(
  services: OnceServices,
  mutation: Mutation,
  carryOut: () => Promise<Own>,
): Promise<Outcome<Own>> {
  const { caller, repeatable } = mutation
  const lease = { caller, key_hash: repeatable.keyHash, lease: randomUUID() }
  const headers = { 'x-request-id': mutation.requestId }
  const request = { ...lease, fingerprint: repeatable.fingerprint }
  const [row] = (await services.graphql.LeaseRequest(request, headers)).requests
  if (!row) throw new ApiError('quota_exceeded', { attribute: 'idempotency-key' })
  if (row.lease !== lease.lease)
    return { earlier: earlierAnswer(row, repeatable, services.keySecrets) }
  let answer: Own | null = null
  try {
    answer = await carryOut()
    return { own: answer }
  } finally {
    await endLease(services, { lease, answer, headers }).catch((err: unknown) =>
      mutation.log.error({ err }, 'an answer is not kept for a repetition'),
    )
  }
}

type Kept = LeaseRequestMutation['requests'][number]

/** The answer to the earlier request that has the lease. */
function earlierAnswer(kept: Kept, repeatable: Repeatable, secrets: Secrets): Buffer {
  requireSameRequest(kept, repeatable)
  if (!kept.is_answered) throw new ApiError('request_under_way', { retryAfterSeconds: 1 })
  if (kept.answer_encrypted === null) throw new ApiError('answer_not_kept')
  try {
    return Buffer.from(unseal(kept.answer_encrypted, { secrets, owner: kept.lease }))
  } catch (cause) {
    // It was sealed under a secret that the operator has taken away since.
    throw new ApiError('answer_not_kept', { cause })
  }
}

type Ended = {
  lease: { caller: string; key_hash: string; lease: string }
  answer: Answer | null
  headers: Record<string, string>
}

async function endLease(
  { graphql, keySecrets: secrets }: OnceServices,
  { lease, answer, headers }: Ended,
) {
  if (!answer || !hasData(answer)) return graphql.EndLease(lease, headers)
  const isShort = answer.body.length <= MAX_KEPT_BYTES
  const sealed = isShort ? seal(answer.body.toString(), { secrets, owner: lease.lease }) : null
  return graphql.StoreAnswer({ ...lease, answer: sealed }, headers)
}

const Entry = z.looseObject({ data: z.unknown().optional() })
const Body = z.union([z.array(Entry), Entry.transform((entry) => [entry])])

/** Whether an answer, or one of a batch, has data. A long one has: refusals are short. */
function hasData({ status, body }: Answer): boolean {
  if (status !== 200) return false
  if (body.length > MAX_KEPT_BYTES) return true
  const entries = Body.parse(JSON.parse(body.toString()))
  return entries.some(({ data }) => data !== undefined && data !== null)
}
