import type { Examples } from '../../../lib/runtime/web/openapi/examples-form.ts'
import { accountExamples } from './accounts.ts'
import { graphqlExamples } from './graphql.ts'
import { internalExamples } from './internal.ts'
import { paymentExamples } from './payments.ts'
import { verificationExamples } from './verification.ts'

/** The examples for health checks and OpenAPI documents. */
const statusExamples = {
  'GET /healthz': { answers: { 200: { 'the service runs': 'OK' } } },
  'GET /readyz': {
    answers: {
      200: { 'the service is ready': { ready: true, checks: { graphql: 'ok', chain: 'ok' } } },
      503: {
        'the chain is unreachable': { ready: false, checks: { graphql: 'ok', chain: 'away' } },
      },
    },
  },
  'GET /openapi.json': {
    answers: { 200: { 'the start of the document': { openapi: '3.1.1' } } },
  },
  'GET /hasura/openapi.json': {
    answers: { 200: { 'the start of the document': { openapi: '3.1.1' } } },
  },
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
