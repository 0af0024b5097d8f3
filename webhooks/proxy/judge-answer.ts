import type { HasuraAnswer } from './call-hasura.ts'

/** Whether an answer has only errors: such are short. */
export function isRefusal({ status, body }: HasuraAnswer): boolean {
  return status !== 200 || (isShort({ body }) && body.indexOf('{"errors"') === 0)
}

/** A client that names a document by its hash then sends it whole: which is how it is meant to be. */
export function isUnknownHash({ body }: HasuraAnswer): boolean {
  return body.indexOf('{"errors":[{"message":"PersistedQuery') === 0
}

/** Whether an answer is short enough to be a refusal. */
export function isShort({ body }: Pick<HasuraAnswer, 'body'>): boolean {
  return body.length < MAX_REFUSAL_BYTES
}

const MAX_REFUSAL_BYTES = 4_000

/** What an answer says of the credentials; null when it says nothing, such as when the auth hook was away. */
export function credentialOutcome(answer: HasuraAnswer): 'right' | 'wrong' | null {
  if (!isRefusal(answer)) return 'right'
  return answer.status === 401 || answer.body.includes('"access-denied"') ? 'wrong' : null
}
