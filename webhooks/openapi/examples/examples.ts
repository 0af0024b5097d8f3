import type { Examples } from '../../../lib/runtime/web/openapi/examples-form.ts'
import { accountExamples } from './accounts.ts'
import { graphqlExamples } from './graphql.ts'
import { internalExamples } from './internal.ts'
import { paymentExamples } from './payments.ts'
import { statusExamples } from './status.ts'
import { verificationExamples } from './verification.ts'

/** The examples of every operation, by its method and path, such as `GET /api/v1/jwks`. */
export const EXAMPLES: Readonly<Record<string, Examples>> = {
  ...verificationExamples,
  ...paymentExamples,
  ...accountExamples,
  ...graphqlExamples,
  ...internalExamples,
  ...statusExamples,
}
