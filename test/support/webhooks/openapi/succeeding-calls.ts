import {
  account,
  app,
  asHasura,
  asTeam,
  inviteToken,
  newLink,
  person,
  personV1,
  platform,
  reference,
  userId,
  vote,
} from './contract-scene.ts'

/** The header that a browser sends from a page of the same origin. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }

export type Call = {
  body?: string | object
  query?: string
  headers?: Record<string, string>
  url?: string
}

/** Creates a request from the page of a logged-in user. */
async function logInRequest(): Promise<Call> {
  const { body } = await platform.post('/api/v1/signup', account())
  return { headers: { ...OWN_PAGE, cookie: `portal_session=${Object(body).token}` } }
}

/** For each operation, a request that succeeds. */
export const succeedingCalls: Record<string, () => Call | Promise<Call>> = {
  'GET /healthz': () => ({}),
  'GET /readyz': () => ({}),
  'GET /openapi.json': () => ({}),
  'GET /hasura/openapi.json': () => ({}),
  'GET /docs': () => ({}),
  'GET /docs/start.js': () => ({}),
  'GET /docs/viewer.js': () => ({}),
  'GET /docs/viewer.css': () => ({}),
  'POST /api/v2/verify/{app_id}': async () => ({ body: await person() }),
  'POST /api/v4/proof-context/{id}': () => ({ body: { action: 'vote' } }),
  'GET /api/v4/rp-status/{rp_id}': () => ({}),
  'POST /api/v1/verify': async () => ({ body: await personV1() }),
  'GET /api/v1/precheck/{id}': () => ({ query: 'action=vote' }),
  'POST /api/v1/precheck/{id}': () => ({ body: { action: 'vote' } }),
  'GET /api/v1/jwks': () => ({}),
  'POST /api/v1/jwks': () => ({}),
  'GET /api/v2/minikit/transaction/{transaction_id}': () => ({
    query: `app_id=${app}&type=payment`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction': () => ({
    query: `app_id=${app}&type=payment&reference=${reference}`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/userop/{user_op_hash}': () => ({}),
  'GET /public/v1/miniapps/prices': () => ({
    query: 'cryptoCurrencies=WLD&fiatCurrencies=USD',
  }),
  'POST /api/v1/signup': () => ({ body: account() }),
  'POST /api/v1/login': () => ({ body: account('ada@example.com') }),
  'POST /api/v1/session/login': () => ({ body: account('ada@example.com'), headers: OWN_PAGE }),
  'POST /api/v1/session/signup': () => ({ body: account(), headers: OWN_PAGE }),
  'GET /api/v1/session': logInRequest,
  'POST /api/v1/session/logout': logInRequest,
  'GET /api/v1/verify-email': () => openLink('verify_email'),
  'POST /api/v1/verify-email': () => choosePassword('verify_email'),
  'POST /api/v1/forgot-password': () => ({ body: { email: 'ada@example.com' } }),
  'GET /api/v1/reset-password': () => openLink('reset_password'),
  'POST /api/v1/reset-password': () => choosePassword('reset_password'),
  'GET /api/v1/change-email': () => openLink('confirm_new_address'),
  'POST /api/v1/change-email': () => choosePassword('confirm_old_address'),
  'POST /api/v1/resend-verification': () => ({ body: { email: 'ada@example.com' } }),
  'GET /v1/graphql': () => ({ query: 'query={app{id}}', headers: asTeam() }),
  'POST /v1/graphql': () => ({ body: { query: '{ app { id } }' }, headers: asTeam() }),
  'POST /hasura/auth': () => ({ body: { headers: asTeam() } }),
  'POST /api/_jwk-gen': () => ({ headers: asHasura }),
  'POST /api/_jwk-renew': () => ({ headers: asHasura }),
  'POST /api/_ens': () => ({ headers: asHasura }),
  'POST /api/_expire': () => ({ headers: asHasura }),
  'POST /api/_gen-external-nullifier': () => ({
    body: { event: { data: { new: { id: vote, app_id: app, action: 'vote' } } } },
    headers: asHasura,
  }),
  'POST /api/_mail': () => ({ headers: asHasura }),
  'POST /api/_transactions': () => ({ headers: asHasura }),
  'POST /api/_prices': () => ({ headers: asHasura }),
  'POST /hasura/actions': () => ({
    body: call('create_team', { name: 'Team' }),
    headers: asHasura,
  }),
  'GET /api/v1/accept-invite': () => ({ query: `token=${inviteToken}` }),
  'POST /api/v1/accept-invite': () => ({
    body: `token=${inviteToken}&new_password=difference`,
    headers: FORM,
  }),
}

async function openLink(kind: string): Promise<Call> {
  return { query: `token=${await newLink(kind)}` }
}

async function choosePassword(kind: string): Promise<Call> {
  return { body: `token=${await newLink(kind)}&new_password=difference`, headers: FORM }
}

/** Creates the body that Hasura sends when a user calls an action. */
export function call(name: string, input: object) {
  return { action: { name }, input, session_variables: { 'x-hasura-user-id': userId } }
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
