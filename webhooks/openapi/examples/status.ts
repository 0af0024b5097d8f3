/** Of what tells about the service itself. */
export const statusExamples = {
  'GET /healthz': { answers: { 200: { 'it answers': 'OK' } } },
  'GET /readyz': {
    answers: {
      200: { 'all is there': { ready: true, checks: { graphql: 'ok', chain: 'ok' } } },
      503: { 'the chain is away': { ready: false, checks: { graphql: 'ok', chain: 'away' } } },
    },
  },
  'GET /openapi.json': {
    answers: { 200: { 'how it begins': { openapi: '3.1.1' } } },
  },
  'GET /hasura/openapi.json': {
    answers: { 200: { 'how it begins': { openapi: '3.1.1' } } },
  },
}
