import { DEMO_APP } from './demo-app.ts'

const FAILED = {
  'an internal error': {
    success: false,
    error: 'Something went wrong on our side. Request id: 099bbef4-1a7d-4b91-a7a3-df4ef1b28115',
  },
}

function successOrFailure(answer: object, status: 200 | 201 = 200) {
  return { answers: { [status]: { success: { success: true, ...answer } }, 500: FAILED } }
}

/** The examples for the endpoints that Hasura and the operator call. */
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
      'a user creates a team': {
        action: { name: 'create_team' },
        input: { name: 'Team' },
        session_variables: { 'x-hasura-user-id': 'usr_00000000000000000000000000000001' },
      },
    },
    answers: {
      200: { 'the result of the action': { team_id: 'team_00000000000000000000000000000003' } },
      400: {
        'an unknown action': {
          message: 'No such action.',
          extensions: { code: 'not_found' },
        },
      },
      500: FAILED,
    },
  },
  'POST /api/_jwk-gen': successOrFailure(
    {
      jwk: {
        __typename: 'jwks',
        id: 'jwk_9302cfdf13fdec9bdcf10f93c7cbea5d',
        expires_at: '2027-01-01T12:00:00.12+00:00',
      },
    },
    201,
  ),
  'POST /api/_jwk-renew': successOrFailure({ jwk: null }),
  'POST /api/_ens': successOrFailure({}),
  'POST /api/_expire': successOrFailure({
    deleted: { unverified_accounts: 0, counted_requests: 12, logins: 3 },
  }),
  'POST /api/_gen-external-nullifier': {
    ...successOrFailure({}),
    request: {
      'a new action': {
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
  'POST /api/_mail': successOrFailure({ sent: 4, failed: 0 }),
  'POST /api/_transactions': successOrFailure({
    mined: 1,
    failed: 0,
    pending: 2,
    unclear: 0,
    unreachable: [],
  }),
  'POST /api/_prices': successOrFailure({ refreshed: 36, missing: [] }),
}
