import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { formatField, hashToField } from '../../../lib/proof/encoding.ts'
import { scopeOfAction } from '../../../lib/proof/scope.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { millisToMiddleOfHour } from '../../support/middle-of-an-hour.ts'
import { forgeRequest } from '../../support/webhooks/forge-request.ts'
import { idkit4Result } from '../../support/webhooks/idkit-4-result.ts'
import { callAction, type Person, peopleOf } from '../../support/webhooks/people.ts'
import {
  post,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

const CHECK = `query ($app: String!, $action: String!, $proof: jsonb!) {
  check_proof(app_id: $app, action: $action, proof: $proof) { checks { name passed detail } }
}`
const ROOT = 4711n
const NAMES = [
  'app',
  'action',
  'engine',
  'protocol',
  'format',
  'signal',
  'external_nullifier',
  'root',
  'proof',
  'limit',
]
/** A forged request has no signal and no external nullifier, so these two checks are skipped. */
const UNSTATED = { signal: null, external_nullifier: null }
const ALL_PASSED = { ...Object.fromEntries(NAMES.map((name) => [name, true])), ...UNSTATED }

let platform: TestPlatform
let owner: Person
let stranger: Person
let app: string
let actionId: string
let nullifier = 1_000n

beforeAll(async () => {
  platform = await startTestPlatform({}, (baseUrl) => ({ WEBHOOKS_URL: baseUrl }))
  const person = peopleOf(platform)
  owner = await person()
  stranger = await person()
  await publish(ROOT)
})
afterAll(() => platform.stop())
beforeEach(async () => {
  app = await platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
  actionId = await platform.action(app)
  nullifier += 1n
})

test('a valid proof passes every check, in order, and is not counted', async () => {
  const proof = await request()
  const { data } = await owner.graphql(CHECK, { app, action: 'vote', proof })
  const { checks } = data.check_proof
  expect(checks.map(({ name }: { name: string }) => name)).toEqual(NAMES)
  expect(passedOf(checks)).toEqual(ALL_PASSED)
  const { rows } = await platform.db.query('select from nullifier where action_id = $1', [actionId])
  expect(rows).toEqual([])
  expect(await verify(proof)).toMatchObject({ status: 200, body: { uses: 1 } })
})

describe('a single fault in the input fails one check, and skips the checks that need the faulty value', () => {
  test('only the check of the app fails if the app is inactive or archived', async () => {
    const proof = await request()
    await platform.db.query("update app set status = 'inactive' where id = $1", [app])
    expect(await failedChecks(proof)).toEqual({
      app: 'The app is inactive: verifications are refused.',
    })
    await platform.db.query('update app set is_archived = true where id = $1', [app])
    expect(await failedChecks(proof)).toEqual({
      app: 'The app is archived: verifications are refused.',
    })
  })

  test('only the check of the action fails if the action is inactive', async () => {
    await platform.db.query("update action set status = 'inactive' where id = $1", [actionId])
    expect(await failedChecks(await request())).toEqual({ action: 'This action is inactive.' })
  })

  test('the check of the action fails if the action does not exist, and the check of the limit is skipped', async () => {
    const proof = await request({ action: 'swim' })
    const checks = await check(proof, { action: 'swim' })
    expect(passedOf(checks)).toEqual({ ...ALL_PASSED, action: false, limit: null })
  })

  test('only the check of the engine fails for an on-chain app', async () => {
    await platform.db.query("update app set engine = 'on-chain' where id = $1", [app])
    expect(await failedChecks(await request())).toEqual({
      engine: 'Proofs of this app are verified on-chain.',
    })
  })

  test('only the check of the protocol fails if the action accepts only protocol 4.0', async () => {
    await platform.db.query("update action set protocol = '4.0' where id = $1", [actionId])
    expect(await failedChecks(await request())).toEqual({
      protocol: 'This action accepts only proofs of protocol 4.0.',
    })
  })

  test.each([
    ['proof', '0x1234', 'proof: This attribute cannot be decoded.'],
    ['proof', undefined, 'proof: This attribute is required.'],
    ['verification_level', 'eyes', /^verification_level: Must be one of orb, /],
    ['max_age', 5, 'max_age: Must be at least 3600.'],
  ])('only the check of the format fails if %s is %j', async (field, value, fault) => {
    const failures = await failedChecks({ ...(await request()), [field]: value })
    expect(failures).toEqual({ format: expect.stringMatching(fault) })
  })

  test('a malformed field does not skip the checks that do not need it', async () => {
    const checks = passedOf(await check({ ...(await request()), proof: 7 }))
    expect(checks).toEqual({ ...ALL_PASSED, format: false, proof: null })
    expect(passedOf(await check({}))).toEqual({
      ...ALL_PASSED,
      format: false,
      root: null,
      proof: null,
      limit: null,
    })
  })

  test('the signal is compared with its hash, and is used in the proof if there is no hash', async () => {
    const { signal_hash, ...proof } = await request({ signal: 'a ballot' })
    const checksWithoutSignal = await check(proof)
    expect(passedOf(checksWithoutSignal)).toEqual({ ...ALL_PASSED, proof: false })
    expect(checksWithoutSignal).toContainEqual({
      name: 'signal',
      passed: null,
      detail: expect.stringMatching(/add it as "signal"\.$/),
    })
    expect(passedOf(await check({ ...proof, signal: 'a ballot' }))).toEqual(ALL_PASSED)
    const statedProof = { ...proof, signal: 'a ballot', signal_hash }
    expect(passedOf(await check(statedProof))).toEqual({ ...ALL_PASSED, signal: true })
    expect(await failedChecks({ ...statedProof, signal: 'another' })).toEqual({
      signal: expect.stringContaining(formatField(hashToField('another'))),
    })
  })

  test('only the check of the external nullifier fails if the input states another external nullifier, action or app', async () => {
    const { externalNullifier } = scopeOfAction({ id: '', app_id: app, action: 'vote' })
    const proof = { ...(await request()), external_nullifier: formatField(externalNullifier) }
    expect(passedOf(await check(proof))).toMatchObject({ external_nullifier: true })
    for (const [statedProof, words] of [
      [{ external_nullifier: '0x01' }, /^The input has another external nullifier/],
      [{ action: 'swim' }, /another action: “swim”/],
      [{ app_id: 'app_other' }, /another app: app_other/],
    ] as const)
      expect(await failedChecks({ ...proof, ...statedProof })).toEqual({
        external_nullifier: expect.stringMatching(words),
      })
  })

  test('only the check of the root fails if no group has the root', async () => {
    expect(await failedChecks(await request({ root: 99n }))).toEqual({
      root: 'No group that proves this level has this Merkle root. No other group has this root.',
    })
  })

  test('only the check of the root fails if a group of the other environment has the root, and the detail names that environment', async () => {
    await publish(815n, 'production')
    expect(await failedChecks(await request({ root: 815n }))).toEqual({
      root: expect.stringMatching(/A production group has this root, but this is a staging app\.$/),
    })
  })

  test('only the check of the root fails if the root is too old', async () => {
    const proof = await request({ root: 66n })
    await publish(66n)
    await publish(67n)
    platform.clock.aheadMs = 3 * 3_600_000
    const failures = await failedChecks({ ...proof, max_age: 3_600 }).finally(() => {
      platform.clock.aheadMs = 0
    })
    expect(failures).toEqual({ root: expect.stringMatching(/too old.* for 1 hour after that\.$/) })
  })

  test('only the check of the proof fails if the proof was made for another action', async () => {
    expect(await failedChecks({ ...(await request({ action: 'swim' })), action: 'vote' })).toEqual({
      proof: expect.stringMatching(/^The proof is not valid for these values\./),
    })
  })

  test('only the check of the limit fails if the person has reached the limit', async () => {
    const proof = await request()
    await verify(proof)
    expect(await failedChecks(proof)).toEqual({
      limit: expect.stringMatching(/verification limit of this action\. So far: 1\. Allowed: 1\.$/),
    })
  })
})

test('check_proof accepts the result of IDKit 4 unchanged', async () => {
  expect(passedOf(await check(idkit4Result(await request())))).toEqual(ALL_PASSED)
})

test('members and API keys of the team can call check_proof, and other callers get not_found', async () => {
  const proof = await request()
  const variables = { app, action: 'vote', proof }
  expect(codeOf(await stranger.graphql(CHECK, variables))).toBe('not_found')
  const member = await peopleOf(platform)('member-of-check@example.com')
  await platform.db.query(
    "insert into membership (user_id, team_id, role) values ($1, $2, 'MEMBER')",
    [member.id, owner.team],
  )
  expect(passedOf((await member.graphql(CHECK, variables)).data.check_proof.checks)).toEqual(
    ALL_PASSED,
  )
  const [ownerKey, strangerKey] = await Promise.all([keyOf(owner), keyOf(stranger)])
  expect(await askWithKey(ownerKey, variables)).toMatchObject({ data: { check_proof: {} } })
  expect(await askWithKey(strangerKey, variables)).toMatchObject({
    errors: [{ message: 'No such app.', extensions: { code: 'not_found' } }],
  })
})

test.each([
  ['[]', 'proof: Must be an object.'],
  ['"text"', 'proof: Must be an object.'],
])('check_proof rejects %s as a proof', async (proof, message) => {
  const variables = { app, action: 'vote', proof: JSON.parse(proof) }
  expect(await owner.graphql(CHECK, variables)).toMatchObject({
    errors: [{ message, extensions: { code: 'validation_error' } }],
  })
})

test('the rate limit of verifications applies to the check_proof calls of each user', async () => {
  platform.clock.aheadMs = millisToMiddleOfHour()
  const limitedInstance = await platform.anotherInstance({ RATE_LIMIT_VERIFY: '1/3600' })
  const limitedPlatform = { ...platform, post: postTo(limitedInstance.baseUrl) }
  const session = { 'x-hasura-role': 'user', 'x-hasura-user-id': owner.id }
  const checkAgain = () =>
    callAction(limitedPlatform, 'check_proof', { app_id: app, action: '', proof: {} }, session)
  expect(await checkAgain()).toMatchObject({ status: 200 })
  expect(await checkAgain()).toMatchObject({
    status: 400,
    body: { extensions: { code: 'rate_limited' } },
  })
  await limitedInstance.stop()
  platform.clock.aheadMs = 0
})

function postTo(origin: string): TestPlatform['post'] {
  return (path, body, headers) => post(`${origin}${path}`, body, headers)
}

function request(change: { action?: string; root?: bigint; signal?: string } = {}) {
  return forgeRequest({ app, action: 'vote', root: ROOT, nullifier, ...change })
}

function publish(root: bigint, group: 'production' | 'staging' = 'staging') {
  return publishRoot({ rpcUrl: platform.anvil.rpcUrl, group, root })
}

function verify(body: object) {
  return platform.post(`/api/v2/verify/${app}`, body)
}

type Checks = { name: string; passed: boolean | null; detail: string }[]

async function check(proof: object, { action = 'vote' } = {}): Promise<Checks> {
  return (await owner.graphql(CHECK, { app, action, proof })).data.check_proof.checks
}

function passedOf(checks: Checks) {
  return Object.fromEntries(checks.map(({ name, passed }) => [name, passed]))
}

async function failedChecks(proof: object) {
  const failures = (await check(proof)).filter(({ passed }) => passed === false)
  return Object.fromEntries(failures.map(({ name, detail }) => [name, detail]))
}

async function keyOf({ team, graphql }: Person): Promise<string> {
  const mutation = `mutation { create_api_key(team_id: "${team}", name: "Key") { api_key } }`
  return (await graphql(mutation)).data.create_api_key.api_key
}

async function askWithKey(apiKey: string, variables: object) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return (await platform.post('/v1/graphql', { query: CHECK, variables }, headers)).body
}

function codeOf(answer: { errors?: [{ extensions: { code: string } }] }) {
  return answer.errors?.[0].extensions.code
}
