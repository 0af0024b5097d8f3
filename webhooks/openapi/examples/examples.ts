import { accountExamples } from './accounts.ts'
import { graphqlExamples } from './graphql.ts'
import { internalExamples } from './internal.ts'
import { paymentExamples } from './payments.ts'
import { statusExamples } from './status.ts'
import { verificationExamples } from './verification.ts'

/**
 * What the description shows of an operation. Bodies have a name, which says what each shows; what is sent is accepted by a
 * platform that `npm start` has made.
 */
export type Examples = {
  /** Of parameters, by name. */
  parameters?: Readonly<Record<string, string>>
  request?: Readonly<Record<string, unknown>>
  /** By status. Refusals have theirs by their codes, and need none here. */
  answers?: Readonly<Record<number, Readonly<Record<string, unknown>>>>
}

/** The examples of every operation, by its method and path, such as `GET /api/v1/jwks`. */
export const EXAMPLES: Readonly<Record<string, Examples>> = {
  ...verificationExamples,
  ...paymentExamples,
  ...accountExamples,
  ...graphqlExamples,
  ...internalExamples,
  ...statusExamples,
}
