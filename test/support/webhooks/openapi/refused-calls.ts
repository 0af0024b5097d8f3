import { randomUUID } from 'node:crypto'
import { externalNullifier, formatField } from '../../../../lib/proof/encoding.ts'
import { hashToken } from '../../../../lib/runtime/secrets/secret.ts'
import {
  account,
  app,
  asHasura,
  asTeam,
  chainApp,
  inactiveAction,
  OLD_ROOT,
  ofProtocol4,
  onChain,
  person,
  personV1,
  platform,
  ROOT,
  teamId,
} from './contract-scene.ts'

import { type Call, call, OWN_PAGE } from './succeeding-calls.ts'

/** Returns a result of protocol 4.0 whose words cannot be decoded. */
function resultOfProtocol4(change: object = {}) {
  const proof = Array(5).fill('words')
  const response = { identifier: 'orb', issuer_schema_id: 1, nullifier: '0x1', expires_at_min: 0 }
  const responses = [{ ...response, proof }]
  return { protocol_version: '4.0', nonce: '0x1', action: 'new', responses, ...change }
}

const INTEGRITY_BUNDLE = {
  version: 1,
  signature_format: 'android_keystore',
  timestamp: 1_767_225_600,
  signature: 'ab12',
  jwt: 'a.b.c',
}

const SECONDS_IN_EIGHT_DAYS = 691_200

/** For each error of a single operation, a request that gets the error. */
export const refusedCalls: Record<string, () => Call | Promise<Call>> = {
  'POST /api/v2/verify/{app_id} 400 required': () => ({ url: '/api/v2/verify/' }),
  'POST /api/v2/verify/{app_id} 404 not_found': async () => ({
    url: '/api/v2/verify/app_none',
    body: await person(),
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_action': async () => ({
    body: await person(ROOT, 'none'),
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_engine': async () => ({
    url: `/api/v2/verify/${chainApp}`,
    body: await person(),
  }),
  'POST /api/v2/verify/{app_id} 400 action_inactive': async () => ({
    body: await person(ROOT, 'idle'),
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_protocol': async () => ({
    body: await person(ROOT, 'new'),
  }),
  'POST /api/v2/verify/{app_id} 400 max_verifications_reached': repeatVerification,
  'POST /api/v2/verify/{app_id} 400 invalid_format': async () => ({
    body: { ...(await person()), proof: '0x' },
  }),
  'POST /api/v2/verify/{app_id} 400 invalid_merkle_root': async () => ({ body: await person(1n) }),
  'POST /api/v2/verify/{app_id} 400 root_too_old': async () =>
    verifyEightDaysLater(await person(OLD_ROOT)),
  'POST /api/v2/verify/{app_id} 400 invalid_proof': async () => ({
    body: { ...(await person()), signal_hash: '0x01' },
  }),
  'POST /api/v2/verify/{app_id} 422 idempotency_key_reused': async () => {
    const call = { body: await person(), headers: newKey() }
    await platform.post(`/api/v2/verify/${app}`, call.body, call.headers)
    return { ...call, body: await person() }
  },
  'POST /api/v4/verify/{app_id} 400 configuration_error': () => ({ body: resultOfProtocol4() }),
  'POST /api/v4/verify/{app_id} 400 all_verifications_failed': () => ({
    body: resultOfProtocol4(),
  }),
  'POST /api/v4/verify/{app_id} 403 invalid_integrity_bundle': () => ({
    body: resultOfProtocol4({ integrity_bundle: INTEGRITY_BUNDLE }),
  }),
  'POST /api/v4/proof-context/{id} 400 required': () => ({ url: '/api/v4/proof-context/' }),
  'POST /api/v4/proof-context/{id} 400 action_inactive': () => ({ body: { action: 'idle' } }),
  'POST /api/v4/proof-context/{id} 404 not_found': () => ({
    url: '/api/v4/proof-context/rp_0000000000000000',
    body: {},
  }),
  'GET /api/v4/rp-status/{rp_id} 400 required': () => ({ url: '/api/v4/rp-status' }),
  'GET /api/v4/rp-status/{rp_id} 400 invalid_request': () => ({ url: `/api/v4/rp-status/${app}` }),
  'GET /api/v4/rp-status/{rp_id} 404 not_found': () => ({
    url: '/api/v4/rp-status/rp_0000000000000000',
  }),
  'POST /api/v1/verify 422 idempotency_key_reused': async () => {
    const call = { body: await personV1(), headers: newKey() }
    await platform.post('/api/v1/verify', call.body, call.headers)
    return { ...call, body: await personV1() }
  },
  'POST /api/v1/verify 400 required': () => ({ body: {} }),
  'POST /api/v1/verify 404 not_found': async () => ({
    body: { ...(await personV1()), action_id: 'action_none' },
  }),
  'POST /api/v1/verify 400 invalid_engine': async () => ({
    body: { ...(await personV1()), action_id: onChain },
  }),
  'POST /api/v1/verify 400 invalid_protocol': async () => ({
    body: { ...(await personV1()), action_id: ofProtocol4 },
  }),
  'POST /api/v1/verify 400 already_verified': async () => {
    const body = await personV1()
    await platform.post('/api/v1/verify', body)
    return { body }
  },
  'POST /api/v1/verify 400 invalid_format': async () => ({
    body: { ...(await personV1()), proof: '0x' },
  }),
  'POST /api/v1/verify 400 invalid_merkle_root': async () => ({ body: await personV1(1n) }),
  'POST /api/v1/verify 400 root_too_old': async () =>
    verifyEightDaysLater(await personV1(OLD_ROOT)),
  'POST /api/v1/verify 400 invalid_proof': async () => ({
    body: { ...(await personV1()), signal: 'another' },
  }),
  'POST /api/v1/verify 410 gone': async () => ({ body: await personV1() }),
  'GET /api/v1/precheck/{id} 400 required': () => ({ url: '/api/v1/precheck' }),
  'GET /api/v1/precheck/{id} 400 action_inactive': () => ({ query: 'action=idle' }),
  'GET /api/v1/precheck/{id} 400 invalid_protocol': () => ({ query: 'action=new' }),
  'GET /api/v1/precheck/{id} 400 external_nullifier_mismatch': () => ({
    query: `action=vote&external_nullifier=${formatField(externalNullifier(app, 'idle'))}`,
  }),
  'GET /api/v1/precheck/{id} 400 not_found': () => ({ url: `/api/v1/precheck/${inactiveAction}` }),
  'GET /api/v1/precheck/{id} 404 not_found': () => ({ query: 'action=none' }),
  'POST /api/v1/precheck/{id} 400 required': () => ({ url: '/api/v1/precheck' }),
  'POST /api/v1/precheck/{id} 400 action_inactive': () => ({ body: { action: 'idle' } }),
  'POST /api/v1/precheck/{id} 400 invalid_protocol': () => ({ body: { action: 'new' } }),
  'POST /api/v1/precheck/{id} 400 external_nullifier_mismatch': () => ({
    body: {
      action: 'vote',
      external_nullifier: formatField(externalNullifier(app, 'idle')),
    },
  }),
  'POST /api/v1/precheck/{id} 400 not_found': () => ({ url: `/api/v1/precheck/${inactiveAction}` }),
  'POST /api/v1/precheck/{id} 404 not_found': () => ({ body: { action: 'none' } }),
  'GET /api/v2/minikit/transaction/{transaction_id} 400 required': () => ({ headers: asTeam() }),
  'GET /api/v2/minikit/transaction/{transaction_id} 400 invalid_request': () => ({
    query: `app_id=${app}&type=gift`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction/{transaction_id} 400 validation_error': () => ({
    query: `app_id=${app}&app_id=${app}&type=payment`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction/{transaction_id} 401 unauthenticated': () => ({}),
  'GET /api/v2/minikit/transaction/{transaction_id} 403 invalid_app': () => ({
    query: 'app_id=app_none&type=payment',
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction/{transaction_id} 404 not_found': () => ({
    query: `app_id=${app}&type=transaction`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction 400 required': () => ({
    query: 'reference=r',
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction 400 invalid_request': () => ({
    query: `app_id=${app}&type=gift&reference=r`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction 400 validation_error': () => ({
    query: `app_id=${app}&type=payment&reference=r&reference=r`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction 401 unauthenticated': () => ({ query: 'reference=r' }),
  'GET /api/v2/minikit/transaction 403 invalid_app': () => ({
    query: 'app_id=app_none&type=payment&reference=r',
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/transaction 404 not_found': () => ({
    query: `app_id=${app}&type=payment&reference=none`,
    headers: asTeam(),
  }),
  'GET /api/v2/minikit/userop/{user_op_hash} 400 required': () => ({
    url: '/api/v2/minikit/userop/',
  }),
  'GET /api/v2/minikit/userop/{user_op_hash} 400 invalid_request': () => ({
    url: '/api/v2/minikit/userop/0x1',
  }),
  'GET /public/v1/miniapps/prices 400 required': () => ({}),
  'GET /public/v1/miniapps/prices 400 invalid_request': () => ({
    query: 'cryptoCurrencies=DOGE&fiatCurrencies=USD',
  }),
  'GET /public/v1/miniapps/prices 400 validation_error': () => ({
    query: 'cryptoCurrencies=WLD&cryptoCurrencies=USDCE&fiatCurrencies=USD',
  }),
  'POST /api/v1/signup 400 required': () => ({ body: {} }),
  'POST /api/v1/signup 400 min_length': () => ({ body: { ...account(), password: 'short' } }),
  'POST /api/v1/signup 400 invalid': () => ({ body: account('nobody') }),
  'POST /api/v1/signup 400 already_registered': () => ({ body: account('ada@example.com') }),
  'GET /api/v1/session 401 unauthenticated': () => ({}),
  'POST /api/v1/session/login 401 unauthenticated': () => ({ body: account() }),
  'POST /api/v1/session/signup 401 unauthenticated': () => ({ body: account() }),
  'POST /api/v1/session/logout 401 unauthenticated': () => ({}),
  'POST /api/v1/session/login 400 required': () => ({ body: {}, headers: OWN_PAGE }),
  'POST /api/v1/session/login 400 invalid_credentials': () => ({
    body: account(),
    headers: OWN_PAGE,
  }),
  'POST /api/v1/session/signup 400 required': () => ({ body: {}, headers: OWN_PAGE }),
  'POST /api/v1/session/signup 400 min_length': () => ({
    body: { ...account(), password: 'short' },
    headers: OWN_PAGE,
  }),
  'POST /api/v1/session/signup 400 invalid': () => ({ body: account('nobody'), headers: OWN_PAGE }),
  'POST /api/v1/session/signup 400 already_registered': () => ({
    body: account('ada@example.com'),
    headers: OWN_PAGE,
  }),
  'POST /api/v1/login 400 required': () => ({ body: {} }),
  'POST /api/v1/login 400 invalid_credentials': () => ({ body: account() }),
  'POST /api/v1/resend-verification 400 required': () => ({ body: {} }),
  'POST /api/v1/forgot-password 400 required': () => ({ body: {} }),
  'GET /v1/graphql 400': () => ({ query: 'query={nothing}', headers: asTeam() }),
  'GET /v1/graphql 500': () => ({ query: `query=${STATS}`, headers: asTeam() }),
  'POST /v1/graphql 500': () => ({ body: { query: STATS }, headers: asTeam() }),
  'GET /v1/graphql 401': () => ({ query: 'query={app{id}}' }),
  'GET /v1/graphql 405 method_not_allowed': () => ({
    query: 'query=mutation{delete_redirect(where:{}){affected_rows}}',
    headers: asTeam(),
  }),
  'POST /v1/graphql 400': () => ({ body: { query: '{ nothing }' }, headers: asTeam() }),
  'POST /v1/graphql 401': () => ({ body: { query: '{ app { id } }' } }),
  'POST /v1/graphql 400 validation_error': () => mutationWithKey({ 'idempotency-key': '"' }),
  'POST /v1/graphql 400 quota_exceeded': async () => {
    const { id, apiKey } = await platform.team()
    await platform.db.query(
      `insert into answered_request (caller, key_hash, fingerprint, lease)
      select $1, lpad(n::text, 64, '0'), repeat('0', 64), '' from generate_series(1, 10000) n`,
      [id],
    )
    return { ...mutationWithKey(), headers: { ...newKey(), authorization: `Bearer ${apiKey}` } }
  },
  'POST /v1/graphql 409 request_under_way': () => repeatedMutation({ isAnswered: false }),
  'POST /v1/graphql 409 answer_not_kept': () => repeatedMutation({ isAnswered: true }),
  'POST /v1/graphql 422 idempotency_key_reused': async () => {
    const call = await repeatedMutation({ isAnswered: true })
    return { ...call, body: { query: 'mutation { delete_action(where: {}) { affected_rows } }' } }
  },
  'POST /hasura/auth 401 unauthenticated': () => ({ body: { headers: {} } }),
  'POST /hasura/actions 400': () => ({ body: call('none', {}), headers: asHasura }),
  'POST /api/_ens 500': async () => {
    await platform.anvil.stop()
    return { headers: asHasura }
  },
}

/** A query that fails: nothing listens at the address to which this platform's engine sends actions. */
const STATS = '{action_stats(action_id:"x",from:"2026-01-01",to:"2026-01-02"){persons}}'

function newKey() {
  return { 'idempotency-key': randomUUID() }
}

/** Creates a mutation with an idempotency key. */
function mutationWithKey(headers: { 'idempotency-key': string } = newKey()) {
  const query = 'mutation { delete_redirect(where: {}) { affected_rows } }'
  return { body: { query }, headers: { ...asTeam(), ...headers } }
}

/** Stores an idempotency key, and creates a mutation that repeats the key. */
async function repeatedMutation({ isAnswered }: { isAnswered: boolean }) {
  const call = mutationWithKey()
  await platform.db.query(
    `insert into answered_request (caller, key_hash, fingerprint, lease, is_answered)
    values ($1, $2, $3, '', $4)`,
    [
      teamId,
      hashToken(call.headers['idempotency-key']),
      hashToken(JSON.stringify(call.body)),
      isAnswered,
    ],
  )
  return call
}

async function repeatVerification(): Promise<Call> {
  const body = await person()
  await platform.post(`/api/v2/verify/${app}`, body)
  return { body }
}

function verifyEightDaysLater(body: object): Call {
  platform.clock.aheadMs = SECONDS_IN_EIGHT_DAYS * 1_000
  return { body }
}
