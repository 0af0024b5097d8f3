import { CombinedError } from '@urql/core'
import { RequestError } from '../../graphql/request-error.ts'

type Refusal = {
  /** What Hasura's message names: a constraint, or what a trigger raises. */
  named: string
  /** The field that it is about. */
  attribute: string
  message: string
}

const REFUSALS: readonly Refusal[] = [
  {
    named: 'transaction_app_id_reference_key',
    attribute: 'reference',
    message: 'This app has a payment with this reference already.',
  },
  {
    named: 'pays_one_reference_key',
    attribute: 'transaction_hash',
    message: 'This transaction pays for another reference of your team already.',
  },
  {
    named: 'no payments are read from this chain',
    attribute: 'chain',
    message: 'This platform reads no payments from a chain of this name.',
  },
]

/**
 * Says why the database refused a payment, beside the field that it is about.
 *
 * @throws RequestError always
 */
export function refusalInWords(error: unknown): never {
  if (!(error instanceof RequestError && error.cause instanceof CombinedError)) throw error
  const { code, cause } = error
  // Hasura has no other field for it.
  const refusal = REFUSALS.find(({ named }) => cause.message.includes(named))
  throw refusal ? new RequestError(refusal.message, { code, cause, ...refusal }) : error
}
