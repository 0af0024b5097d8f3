import { beforeEach, describe, expect, test } from 'vitest'
import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { callAction } from '../../support/webhooks/people.ts'
import { post, type TestPlatform } from '../../support/webhooks/start-platform.ts'
import {
  chain,
  makeAction4,
  makeApp4,
  platform,
  response4,
  result4,
  sessionResult4,
  setTheScene4,
  app as sharedApp,
  team,
  verify4,
} from '../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

const NAMES = [
  ...['app', 'action', 'engine', 'protocol', 'format', 'environment', 'rp_id', 'root', 'issuer'],
  ...['oprf_key', 'expiry', 'signal', 'nonce', 'proof', 'limit'],
]
const ALL_PASSED = Object.fromEntries(NAMES.map((name) => [name, true]))
/** The results of checks that can only be made with a valid proof. */
const UNPROVEN = { rp_id: null, signal: null, nonce: null }

let app: string
let actionId: string

beforeEach(async () => {
  app = await makeApp4()
  actionId = await makeAction4({}, app)
})

test('a valid proof passes every check, in order, and is not counted', async () => {
  const proof = await result4({ appId: app })
  const checks = await check(proof)
  expect(checks.map(({ name }) => name)).toEqual(NAMES)
  expect(passedOf(checks)).toEqual(ALL_PASSED)
  const { rows } = await platform.db.query('select from nullifier where action_id = $1', [actionId])
  expect(rows).toEqual([])
  expect(await verify4(proof, app)).toMatchObject({ status: 200 })
})

test('a session proof has no action and no limit, and passes every other check', async () => {
  await platform.db.query("update action set credentials = '{mnc}' where app_id = $1", [app])
  const checks = await check(await sessionResult4({ appId: app }), '')
  expect(passedOf(checks)).toEqual({ ...ALL_PASSED, action: null, limit: null })
  expect(detailOf(checks, 'limit')).toBe('A session proof counts no person.')
})

describe('a single fault fails one check, and skips the checks that need a valid proof', () => {
  test('the check of the action fails for an inactive action, and for another action in the input', async () => {
    const proof = await result4({ appId: app })
    expect(await failedChecks({ ...proof, action: 'swim' })).toEqual({
      action: 'The input names another action: “swim”. The proof is checked for “vote”.',
    })
    await platform.db.query("update action set status = 'inactive' where id = $1", [actionId])
    expect(await failedChecks(proof)).toEqual({ action: 'This action is inactive.' })
  })

  test('an unknown action fails, unless the app creates actions', async () => {
    const proof = await result4({ appId: app, action: 'swim' })
    expect(passedOf(await check(proof, 'swim'))).toEqual({
      ...ALL_PASSED,
      action: false,
      limit: null,
    })
    await platform.db.query('update app set creates_actions = true where id = $1', [app])
    const checks = await check(proof, 'swim')
    expect(passedOf(checks)).toEqual(ALL_PASSED)
    expect(detailOf(checks, 'action')).toMatch(/The first valid proof creates the action\.$/)
  })

  test('the check of the app fails for an inactive app, and the check of the engine for an on-chain app', async () => {
    const proof = await result4({ appId: app })
    await platform.db.query(
      "update app set status = 'inactive', engine = 'on-chain' where id = $1",
      [app],
    )
    expect(await failedChecks(proof)).toEqual({
      app: 'The app is inactive: verifications are refused.',
      engine: 'Proofs of this app are verified on-chain.',
    })
  })

  test('the check of the protocol fails if the action accepts only protocol 3.0', async () => {
    await platform.db.query("update action set protocol = '3.0' where id = $1", [actionId])
    expect(await failedChecks(await result4({ appId: app }))).toEqual({
      protocol: 'This action accepts only proofs of protocol 3.0.',
    })
  })

  test('the check of the protocol fails if the operator has not set up protocol 4.0', async () => {
    const instance = await platform.anotherInstance({ WORLD_CHAIN_RPC_URL: '' })
    const proof = await result4({ appId: app })
    const checks = await check(proof, 'vote', instance)
    expect(passedOf(checks)).toMatchObject({ protocol: false, format: true, proof: null })
    expect(detailOf(checks, 'protocol')).toContain('WORLD_CHAIN_RPC_URL')
    await instance.stop()
  })

  test.each([
    ['nullifier', undefined, 'nullifier: This attribute is required.'],
    ['nullifier', '12345z', /^nullifier: Must be hex/],
    ['expires_at_min', 'soon', /^expires_at_min: /],
    ['proof', ['0x1'], /^proof: Must have 5 entries/],
    ['proof', ['0x1', '0x2', '0x3', 'x', '0x5'], 'proof: This attribute cannot be decoded.'],
    ['issuer_schema_id', '99999999999999999999', /^issuer_schema_id: This number is outside/],
  ])('the check of the format fails if %s is %j', async (field, value, fault) => {
    const { responses, ...proof } = await result4({ appId: app })
    const checks = await check({ ...proof, responses: [{ ...responses[0], [field]: value }] })
    expect(detailOf(checks, 'format')).toEqual(expect.stringMatching(fault))
    expect(passedOf(checks)).toMatchObject({
      format: false,
      ...UNPROVEN,
      root: null,
      issuer: null,
      oprf_key: null,
      expiry: null,
      proof: null,
    })
  })

  test('a result without a nonce or with a malformed session fails only the check of the format', async () => {
    const { nonce: _nonce, ...withoutNonce } = await result4({ appId: app })
    expect(await failedChecks(withoutNonce)).toEqual({
      format: 'nonce: This attribute is required.',
    })
    const session = { ...(await sessionResult4({ appId: app })), session_id: 'session_1' }
    expect(await failedChecks(session)).toEqual({
      format: expect.stringMatching(/^session_id: Must be session_ and 128 hex digits/),
    })
  })

  test('the check of the environment fails if a production app gets a result of staging', async () => {
    const production = await makeApp4({ is_staging: false })
    await makeAction4({}, production)
    const proof = await result4({ appId: production })
    const checks = await check(proof, 'vote', platform, production)
    expect(passedOf(checks)).toMatchObject({ environment: false })
    const { environment: _environment, ...unstated } = proof
    const uncheckedNames = await check(unstated, 'vote', platform, production)
    expect(passedOf(uncheckedNames)).toMatchObject({ environment: true })
  })

  test('the check of the rp id fails if the input names another app or rp id', async () => {
    const proof = await result4({ appId: app })
    const hint = `The rp id of this app is ${rpIdOfApp(app)}.`
    expect(await failedChecks({ ...proof, rp_id: rpIdOfApp(sharedApp) })).toEqual({
      rp_id: `The input names another rp id: ${rpIdOfApp(sharedApp)}. ${hint}`,
    })
    expect(await failedChecks({ ...proof, app_id: sharedApp })).toEqual({
      rp_id: `The input names another app: ${sharedApp}. ${hint}`,
    })
    expect(await failedChecks({ ...proof, rp_id: rpIdOfApp(app), app_id: app })).toEqual({})
  })

  test('the check of the root fails for a root that the registry does not accept', async () => {
    expect(await failedChecks(await result4({ appId: app, root: 1n }))).toEqual({
      root: expect.stringMatching(/does not know this Merkle root, or the root is too old/),
    })
  })

  test('the check of the issuer fails for an unknown issuer, and the proof cannot be checked', async () => {
    const checks = await check(await result4({ appId: app, issuer: 77n }))
    expect(passedOf(checks)).toEqual({ ...ALL_PASSED, ...UNPROVEN, issuer: false, proof: null })
    expect(detailOf(checks, 'issuer')).toBe('No issuer with the id 77 is registered.')
    expect(detailOf(checks, 'proof')).toMatch(/the key of the issuer or of the relying party/)
  })

  test('the check of the issuer fails for a credential that has another name or does not count', async () => {
    const body = await result4({ appId: app })
    const responses = body.responses.map((response) => ({ ...response, identifier: 'passport' }))
    const checks = await check({ ...body, responses })
    expect(passedOf(checks)).toEqual({ ...ALL_PASSED, issuer: false })
    expect(detailOf(checks, 'issuer')).toMatch(/gives no credential "passport"/)
    await platform.db.query("update action set credentials = '{mnc}' where id = $1", [actionId])
    expect(await failedChecks(body)).toEqual({
      issuer: 'The action accepts mnc, and not the credential "proof_of_human".',
    })
  })

  test('the check of the OPRF key fails for an app that the registry does not know', async () => {
    const unregistered = await platform.app({ team })
    await makeAction4({}, unregistered)
    const proof = await result4({ appId: unregistered })
    const checks = await check(proof, 'vote', platform, unregistered)
    expect(passedOf(checks)).toEqual({ ...ALL_PASSED, ...UNPROVEN, oprf_key: false, proof: null })
    expect(detailOf(checks, 'oprf_key')).toContain(`${rpIdOfApp(unregistered)} has no OPRF key`)
  })

  test('the check of the expiry fails for an old proof and names both times', async () => {
    expect(await failedChecks(await result4({ appId: app, expires: 1_700_000_000n }))).toEqual({
      expiry: expect.stringMatching(
        /^The proof has expired\. expires_at_min is 2023-11-14T22:13:20\.000Z\. The oldest accepted time is 2\d{3}-/,
      ),
    })
  })

  test('the signal is compared with its hash, and is used in the proof if there is no hash', async () => {
    const signalHash = hashToField('a ballot')
    const nonce = 9n
    const { signal_hash, ...response } = await response4({ appId: app, signalHash, nonce })
    const responses = [{ signal_hash, ...response }]
    const { responses: _responses, ...proof } = await result4({ appId: app, nonce })
    const withSignal = { ...proof, signal: 'a ballot', responses: [response] }
    expect(passedOf(await check(withSignal))).toEqual({ ...ALL_PASSED, signal: null })
    const stated = { ...withSignal, responses }
    expect(passedOf(await check(stated))).toEqual(ALL_PASSED)
    expect(await failedChecks({ ...stated, signal: 'another' })).toEqual({
      signal: expect.stringContaining(formatField(hashToField('another'))),
    })
    const checks = await check({ ...proof, responses: [response] })
    expect(passedOf(checks)).toEqual({ ...ALL_PASSED, ...UNPROVEN, proof: false })
    expect(detailOf(checks, 'signal')).toMatch(/add it as "signal"\.$/)
  })

  test.each([
    ['nonce', async () => ({ ...(await result4({ appId: app })), nonce: '0x5' })],
    [
      'action',
      async () => ({ ...(await result4({ appId: app, action: 'swim' })), action: 'vote' }),
    ],
    ['app', () => result4({ appId: sharedApp })],
  ])('the check of the proof fails for a proof of another %s', async (_name, makeProof) => {
    const checks = await check(await makeProof())
    expect(passedOf(checks)).toEqual({ ...ALL_PASSED, ...UNPROVEN, proof: false })
  })

  test('the check of the limit fails for a counted person, unless the action allows a repeat', async () => {
    const proof = await result4({ appId: app })
    await verify4(proof, app)
    expect(await failedChecks(proof)).toEqual({
      limit: expect.stringMatching(/verification limit of this action\. So far: 1\. Allowed: 1\.$/),
    })
    await platform.db.query('update action set allows_repeat = true where id = $1', [actionId])
    const checks = await check(proof)
    expect(passedOf(checks)).toEqual(ALL_PASSED)
    expect(detailOf(checks, 'limit')).toMatch(/The action allows a repeat/)
  })
})

test('only the first proof of a result is checked', async () => {
  const statement = { appId: app, nonce: 5n, nullifier: 5n }
  const valid = await response4(statement)
  const invalid = await response4({ ...statement, root: 1n })
  const proof = await result4(statement)
  expect(await failedChecks({ ...proof, responses: [valid, invalid] })).toEqual({})
  expect(await failedChecks({ ...proof, responses: [invalid, valid] })).toHaveProperty('root')
  expect(await failedChecks({ ...proof, responses: [] })).toHaveProperty('format')
})

test('check_proof is unavailable while the chain does not answer', async () => {
  const proof = await result4({ appId: app, root: 555n })
  chain.state.answers.set('isValidRoot', { error: { code: -32_000, message: 'away' } })
  const reply = await ask(proof).finally(() => chain.state.answers.clear())
  expect(reply).toMatchObject({
    status: 500,
    body: { error: expect.stringContaining('unavailable') },
  })
})

type Checks = { name: string; passed: boolean | null; detail: string }[]
type Instance = Pick<typeof platform, 'baseUrl'>

function ask(proof: object, action = 'vote', instance: Instance = platform, app_id = app) {
  const session = {
    'x-hasura-role': 'api_key',
    'x-hasura-team-id': team.id,
    'x-hasura-api-key-id': team.keyId,
  }
  const target: TestPlatform = {
    ...platform,
    post: (path, body, headers) => post(`${instance.baseUrl}${path}`, body, headers),
  }
  return callAction(target, 'check_proof', { app_id, action, proof }, session)
}

async function check(...request: Parameters<typeof ask>): Promise<Checks> {
  return Object((await ask(...request)).body).checks
}

function passedOf(checks: Checks) {
  return Object.fromEntries(checks.map(({ name, passed }) => [name, passed]))
}

function detailOf(checks: Checks, name: string) {
  return checks.find((each) => each.name === name)?.detail
}

async function failedChecks(proof: object) {
  const failures = (await check(proof)).filter(({ passed }) => passed === false)
  return Object.fromEntries(failures.map(({ name, detail }) => [name, detail]))
}
