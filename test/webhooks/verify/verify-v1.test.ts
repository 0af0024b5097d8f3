import { describe, expect } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { r } from '../../../lib/proof/field.ts'
import { readConfig } from '../../../lib/runtime/config.ts'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { forgeRequest } from '../../support/webhooks/forge-request.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const ROOT = 4711n
const { action_id: LEGACY = '', signal = '', ...realVector } = realProof('testtest2-v1')
const REAL_BODY = {
  action_id: LEGACY,
  signal,
  proof: realVector.proof,
  merkle_root: realVector.merkle_root,
  nullifier_hash: realVector.nullifier_hash,
}

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string
let action: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  app = await platform.app({ team })
  action = await platform.action(app)
  await platform.action(app, { id: LEGACY, action: 'earlier' })
  await publish(ROOT)
  await publish(BigInt(realVector.merkle_root))
})

describe('a real proof of the first protocol verifies', () => {
  test('a real proof of the first protocol is invalid if a single value differs', async () => {
    for (const change of [
      { signal: 'testtest3' },
      { signal: '' },
      { action_id: action },
      { nullifier_hash: formatField(1n) },
      { proof: realVector.proof.replace(/..$/, '00') },
    ])
      expect(await verify({ ...REAL_BODY, ...change })).toMatchObject({
        status: 400,
        body: { code: 'invalid_proof', attribute: null },
      })
  })

  test('a real proof of the first protocol verifies once with version 1, and then not with version 2', async () => {
    expect(await verify(REAL_BODY)).toMatchObject({
      status: 200,
      body: { success: true, nullifier_hash: realVector.nullifier_hash, return_url: '' },
    })
    const upperCase = realVector.nullifier_hash.slice(2).toUpperCase()
    for (const nullifier_hash of [realVector.nullifier_hash, upperCase])
      expect(await verify({ ...REAL_BODY, nullifier_hash })).toMatchObject({
        status: 400,
        body: { code: 'already_verified', attribute: null },
      })
    expect(await verifyReal()).toMatchObject({
      status: 400,
      body: { code: 'max_verifications_reached' },
    })
  })

  test('a real proof of the first protocol verifies with version 2 if its action has an id of that protocol', async () => {
    await platform.db.query('delete from nullifier where nullifier_hash = $1', [
      realVector.nullifier_hash,
    ])
    expect(await verifyReal()).toMatchObject({ status: 200, body: { action: 'earlier', uses: 1 } })
    expect(await verify(REAL_BODY)).toMatchObject({ body: { code: 'already_verified' } })
  })

  test('precheck returns the external nullifier of the first protocol', async () => {
    const reply = await platform.post(`/api/v1/precheck/${app}`, {
      action: 'earlier',
      nullifier_hash: realVector.nullifier_hash,
    })
    expect(reply.body).toMatchObject({
      can_user_verify: 'no',
      action: { external_nullifier: realVector.external_nullifier },
    })
  })
})

describe('a proof of the current protocol verifies with version 1', () => {
  test('version 1 hashes the signal, and counts together with version 2', async () => {
    const currentBody = await request({ nullifier: 7n, signal: 'transfer 10 to alice' })
    const { verification_level, signal_hash, ...proof } = currentBody
    const body = { ...proof, action_id: action, signal: 'transfer 10 to alice' }
    expect(await verify(body)).toMatchObject({
      status: 200,
      body: { nullifier_hash: formatField(7n) },
    })
    expect(await verifyNow({ ...currentBody, action: 'vote' })).toMatchObject({
      status: 400,
      body: { code: 'max_verifications_reached' },
    })
  })

  test.each([
    ['http://[', 9n],
    ['https://300.1.1.1/', 10n],
    ['http://%zz/', 11n],
  ])(
    'an action with the unusable return URL %j is verified without it',
    async (return_url, nullifier) => {
      const id = await platform.action(app, { action: return_url, return_url })
      const body = await request({ nullifier, action: return_url })
      expect(await verify({ ...body, action_id: id, signal: '' })).toMatchObject({
        status: 200,
        body: { success: true, return_url: '' },
      })
    },
  )

  test('50 simultaneous requests to both versions with a limit of 1 succeed once', async () => {
    const currentBody = await request({ nullifier: 8n })
    const earlierBody = { ...currentBody, action_id: action, signal: '' }
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? verify(earlierBody) : verifyNow(currentBody))),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    const codes = new Set(replies.map(({ body }) => Object(body).code))
    expect(codes).toEqual(new Set([undefined, 'already_verified', 'max_verifications_reached']))
  })
})

describe('the checks of version 1 run in their order', () => {
  test.each([
    ['proof', [undefined, null, '']],
    ['nullifier_hash', [undefined, null, '']],
    ['merkle_root', [undefined, null, '']],
    ['action_id', [undefined, null, '']],
    ['signal', [undefined, null]],
  ])('version 1 requires %s, and rejects each of %j', async (field, values) => {
    for (const value of values)
      expect(
        await verify({ ...REAL_BODY, action_id: 'wid_unknown', [field]: value }),
      ).toMatchObject({ status: 400, body: { code: 'required', attribute: field } })
  })

  test.each(['proof', 'signal', 'action_id'])(
    'version 1 rejects %s if it is not text',
    async (field) => {
      expect(await verify({ ...REAL_BODY, [field]: 7 })).toMatchObject({
        status: 400,
        body: { code: 'validation_error', attribute: field },
      })
    },
  )

  test.each([
    ['an unknown action', async () => 'wid_unknown'],
    ['an id with a zero byte', async () => 'wid_\0'],
    ['an inactive action', () => platform.action(app, { action: 'shut', status: 'inactive' })],
    [
      'an action of an inactive app',
      async () => platform.action(await platform.app({ team, status: 'inactive' })),
    ],
  ])('version 1 returns not_found for %s', async (_name, find) => {
    expect(await verify({ ...REAL_BODY, action_id: await find() })).toMatchObject({
      status: 404,
      body: { code: 'not_found', attribute: 'action_id' },
    })
  })

  test('version 1 rejects an on-chain app', async () => {
    const id = await platform.action(await platform.app({ team, engine: 'on-chain' }))
    expect(await verify({ ...REAL_BODY, action_id: id })).toMatchObject({
      status: 400,
      body: { code: 'invalid_engine', attribute: 'engine' },
    })
  })

  test.each([
    ['proof', '0x1234', 'invalid_format'],
    ['nullifier_hash', 'xyz', 'invalid_format'],
    ['nullifier_hash', formatField(r), 'invalid_format'],
    ['merkle_root', 'xyz', 'invalid_format'],
    ['merkle_root', formatField(12_345n), 'invalid_merkle_root'],
  ])('version 1 rejects %s %s with %s', async (attribute, value, code) => {
    const body = { ...REAL_BODY, action_id: action, [attribute]: value }
    expect(await verify(body)).toMatchObject({ status: 400, body: { code, attribute } })
  })
})

describe('version 1 announces its end', () => {
  test('errors of version 1 have its sunset and its successor', async () => {
    for (const { headers } of [await verify({}), await verify('half')]) {
      expect(headers.get('deprecation')).toBe('@1719791999')
      expect(headers.get('sunset')).toBe('Sun, 30 Jun 2024 23:59:59 GMT')
      expect(headers.get('link')).toBe(`<${platform.baseUrl}/docs>; rel="successor-version"`)
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test('the successor is an existing address: the documentation or the endpoint of the app', async () => {
    const { headers } = await verify({ ...REAL_BODY, action_id: action, proof: '0x1234' })
    const [, address = ''] =
      /^<(.+)>; rel="successor-version"$/.exec(headers.get('link') ?? '') ?? []
    expect(address).toMatch(/\/api\/v2\/verify\/app_[0-9a-z_]+$/)
    expect(await platform.post(new URL(address).pathname, {})).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'nullifier_hash' },
    })
    expect((await fetch(`${platform.baseUrl}/docs`)).status).toBe(200)
  })

  test('version 1 returns 410 after its sunset, whatever the request', async () => {
    const sunset = new Date(Date.now() + 3_600_000)
    const endingPlatform = await startTestPlatform({
      VERIFY_V1_SUNSET: sunset.toISOString(),
    })
    expect(await endingPlatform.post('/api/v1/verify', {})).toMatchObject({ status: 400 })
    endingPlatform.clock.aheadMs = 3_600_001
    for (const body of [{}, REAL_BODY, 'half']) {
      const reply = await endingPlatform.post('/api/v1/verify', body)
      expect(reply).toMatchObject({ status: 410, body: { code: 'gone', attribute: null } })
      expect(reply.headers.get('sunset')).toBe(sunset.toUTCString())
    }
    await endingPlatform.stop()
  })

  test('the sunset has passed by default, and can be configured', () => {
    const { VERIFY_V1_SUNSET: _, ...defaultEnv } = platform.env
    expect(readConfig(defaultEnv).VERIFY_V1_SUNSET).toEqual(new Date('2024-06-30T23:59:59Z'))
    expect(readConfig(platform.env).VERIFY_V1_SUNSET).toBeNull()
    expect(() => readConfig({ ...defaultEnv, VERIFY_V1_SUNSET: 'soon' })).toThrow(
      'VERIFY_V1_SUNSET',
    )
  })
})

function verify(body: unknown) {
  return platform.post('/api/v1/verify', body)
}

function verifyNow(body: object) {
  return platform.post(`/api/v2/verify/${app}`, body)
}

/** Sends the real proof to version 2. */
function verifyReal() {
  const { action_id, signal: _, ...proof } = REAL_BODY
  return verifyNow({
    ...proof,
    action: 'earlier',
    signal_hash: realVector.signal_hash,
    verification_level: 'orb',
  })
}

function request(change: { nullifier: bigint; signal?: string; action?: string }) {
  return forgeRequest({ app, action: 'vote', root: ROOT, ...change })
}

function publish(root: bigint) {
  return publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root })
}
