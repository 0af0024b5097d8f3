import type { HasuraAnswer } from './call-hasura.ts'

/** True if a response has another status than 200, or only errors. A response with only errors is short. */
export function isRefusal({ status, body }: HasuraAnswer): boolean {
  return status !== 200 || (isShort({ body }) && body.indexOf('{"errors"') === 0)
}

/** True if the server cannot use the hash of a document. This is no mistake of the client, which then sends the document. */
export function isUnknownHash({ body }: HasuraAnswer): boolean {
  return body.indexOf('{"errors":[{"message":"PersistedQuery') === 0
}

/** True if a response is short enough to be a refusal. */
export function isShort({ body }: Pick<HasuraAnswer, 'body'>): boolean {
  return body.length < MAX_REFUSAL_BYTES
}

const MAX_REFUSAL_BYTES = 4_000

/** Reads from a response if the credentials were right. Returns null for other refusals, such as a failure of the auth hook. */
export function credentialOutcome(answer: HasuraAnswer): 'right' | 'wrong' | null {
  if (!isRefusal(answer)) return 'right'
  return answer.status === 401 || answer.body.includes('"access-denied"') ? 'wrong' : null
}
