import type { HasuraAnswer } from './call-hasura.ts'

/** True if a response has only errors, and therefore is short. */
export function isRefusal({ status, body }: HasuraAnswer): boolean {
  return status !== 200 || (isShort({ body }) && body.indexOf('{"errors"') === 0)
}

/** True if a document's hash is unknown. This is not the client's mistake: the client then sends the whole document. */
export function isUnknownHash({ body }: HasuraAnswer): boolean {
  return body.indexOf('{"errors":[{"message":"PersistedQuery') === 0
}

/** True if a response is short enough to be a refusal. */
export function isShort({ body }: Pick<HasuraAnswer, 'body'>): boolean {
  return body.length < MAX_REFUSAL_BYTES
}

const MAX_REFUSAL_BYTES = 4_000

/** Reads from a response whether the credentials were right. Returns null if unclear, such as when the auth hook failed. */
export function credentialOutcome(answer: HasuraAnswer): 'right' | 'wrong' | null {
  if (!isRefusal(answer)) return 'right'
  return answer.status === 401 || answer.body.includes('"access-denied"') ? 'wrong' : null
}
