import { DEMO_APP } from './demo-app.ts'

const FAILED = {
  'what went wrong': {
    success: false,
    error: 'Something went wrong on our side. Request id: 099bbef4-1a7d-4b91-a7a3-df4ef1b28115',
  },
}

function done(answer: object, status: 200 | 201 = 200) {
  return { answers: { [status]: { 'it is done': { success: true, ...answer } }, 500: FAILED } }
}

/** Of what only Hasura calls. */
export const internalExamples = {
  'POST /hasura/auth': {
    request: {
      'the headers of a request': { headers: { authorization: 'Bearer api_a2V5XzE6c2VjcmV0' } },
    },
    answers: {
      200: {
        'the role of an API key': {
          'x-hasura-role': 'api_key',
          'x-hasura-team-id': 'team_00000000000000000000000000000001',
          'x-hasura-api-key-id': 'key_00000000000000000000000000000001',
          'Cache-Control': 'max-age=60',
        },
      },
    },
  },
  'POST /hasura/actions': {
    request: {
      'a person makes a team': {
        action: { name: 'create_team' },
        input: { name: 'Team' },
        session_variables: { 'x-hasura-user-id': 'usr_00000000000000000000000000000001' },
      },
    },
    answers: {
      200: { 'what the action answers': { team_id: 'team_00000000000000000000000000000003' } },
      400: {
        'what the action refuses': {
          message: 'No such action.',
          extensions: { code: 'not_found' },
        },
      },
      500: FAILED,
    },
  },
  'POST /api/_jwk-gen': done(
    {
      jwk: {
        __typename: 'jwks',
        id: 'jwk_9302cfdf13fdec9bdcf10f93c7cbea5d',
        expires_at: '2027-01-01T12:00:00.12+00:00',
      },
    },
    201,
  ),
  'POST /api/_ens': done({}),
  'POST /api/_expire': done({
    deleted: { unverified_accounts: 0, counted_requests: 12, logins: 3 },
  }),
  'POST /api/_gen-external-nullifier': {
    ...done({}),
    request: {
      'an action that was inserted': {
        event: {
          data: {
            new: {
              id: 'action_00000000000000000000000000000001',
              app_id: DEMO_APP,
              action: 'vote',
            },
          },
        },
      },
    },
  },
  'POST /api/_mail': done({ sent: 4, failed: 0 }),
  'POST /api/_transactions': done({
    mined: 1,
    failed: 0,
    pending: 2,
    unclear: 0,
    unreachable: [],
  }),
  'POST /api/_prices': done({ refreshed: 36, missing: [] }),
}
