import { DEMO_APP } from './demo-app.ts'

const APPS = '{ app(order_by: {id: asc}, limit: 1) { id name } }'
const QUERY = `query Actions($app: String!) {
  action(where: {app_id: {_eq: $app}, action: {_neq: ""}}, order_by: {action: asc}) { action max_verifications }
}`

const DATA = { 'rows of the team': { data: { app: [{ id: DEMO_APP, name: 'Demo app' }] } } }

const ANSWERS = {
  200: {
    ...DATA,
    'a query that Hasura rejects': {
      errors: [
        {
          message: "field 'nothing' not found in type: 'query_root'",
          extensions: { path: '$.selectionSet.nothing', code: 'validation-failed' },
        },
      ],
    },
  },
  400: {
    'a query that Hasura rejects': {
      errors: [
        {
          message: "field 'nothing' not found in type: 'query_root'",
          extensions: { path: '$.selectionSet.nothing', code: 'validation-failed' },
        },
      ],
    },
  },
  401: {
    'no credentials': {
      errors: [
        {
          message: 'Authorization is missing: send "Authorization: Bearer <API key>".',
          extensions: { path: '$', code: 'access-denied' },
        },
      ],
    },
  },
  500: {
    'an action that cannot be reached': {
      errors: [
        {
          message: 'http exception when calling webhook',
          extensions: { path: '$', code: 'unexpected' },
        },
      ],
    },
  },
}

/** The examples for GraphQL. */
export const graphqlExamples = {
  'GET /v1/graphql': { parameters: { query: APPS }, answers: ANSWERS },
  'POST /v1/graphql': {
    request: {
      'a query': { query: APPS },
      'a query with variables': { query: QUERY, variables: { app: DEMO_APP } },
    },
    answers: ANSWERS,
  },
}
