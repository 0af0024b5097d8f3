import type { VerificationRequest } from '../../../local/simulator/verification-request.ts'
import type { Call } from './openapi/succeeding-calls.ts'

/**
 * Returns the body of a verification in the form of IDKit 4, with the fields that a website
 * forwards unread.
 */
export function idkit4Result({ action, ...proof }: VerificationRequest, changes: object = {}) {
  return {
    protocol_version: '3.0',
    nonce: '0x01',
    action,
    environment: 'staging',
    responses: [idkit4Response(proof)],
    ...changes,
  }
}

type Proof = Omit<VerificationRequest, 'action'>

export function idkit4Response({ verification_level, nullifier_hash, ...proof }: Proof) {
  return { identifier: verification_level, nullifier: nullifier_hash, ...proof }
}

type Calls = Record<string, () => Call | Promise<Call>>

/** Adds a call of `/api/v4/verify` for each call of `/api/v2/verify`. */
export function withIdkit4(calls: Calls): Calls {
  const verifyCalls = Object.entries(calls).filter(([name]) =>
    name.startsWith('POST /api/v2/verify'),
  )
  const v4Calls = verifyCalls.map(([name, make]): [string, Calls[string]] => [
    name.replace('/v2/', '/v4/'),
    async () => toIdkit4(await make()),
  ])
  return { ...calls, ...Object.fromEntries(v4Calls) }
}

function toIdkit4({ url, body, ...call }: Call): Call {
  return {
    ...call,
    ...(url && { url: url.replace('/v2/', '/v4/') }),
    ...(isVerificationRequest(body) && { body: idkit4Result(body) }),
  }
}

function isVerificationRequest(body: unknown): body is VerificationRequest {
  return typeof body === 'object' && body !== null && 'nullifier_hash' in body
}
