/** The examples for health checks and OpenAPI documents. */
export const statusExamples = {
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
