import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishRoot } from '../../../chain/publish-root.ts'
import { formatField, hashToField } from '../../../proof/encoding.ts'
import { r } from '../../../proof/field.ts'
import { realProof } from '../../proof/real-proofs.ts'
import { forgeRequest } from '../forge-request.ts'
import { startTestPlatform, type TestPlatform } from '../start-platform.ts'

const ROOT = 4711n

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string

beforeAll(async () => {
  platform = await startTestPlatform()
  team = await platform.team()
  app = await platform.app({ team })
  await platform.action(app)
  await publish(ROOT)
})
afterAll(() => platform.stop())

describe('a proof that holds', () => {
  test('is counted, and answered with its canonical nullifier and the time', async () => {
    const body = await request({ nullifier: 0xabcn })
    expect(await verify(body)).toMatchObject({
      status: 200,
      body: {
        success: true,
        action: 'vote',
        nullifier_hash: formatField(0xabcn),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/),
        uses: 1,
        max_uses: 1,
        verification_level: 'orb',
      },
    })
  })

  test('is refused the second time, and so is another proof of the same person', async () => {
    const nullifier = 0xdefn
    expect(await verify(await request({ nullifier }))).toMatchObject({ status: 200 })
    for (let i = 0; i < 2; i++)
      expect(await verify(await request({ nullifier }))).toMatchObject({
        status: 400,
        body: { code: 'max_verifications_reached', attribute: null },
      })
  })

  test('counts up to the limit, and keeps the time of the first', async () => {
    await platform.action(app, { action: 'twice', max_verifications: 2 })
    const body = await request({ action: 'twice' })
    const first = await verify(body)
    const second = await verify(body)
    expect(first.body).toMatchObject({ uses: 1, max_uses: 2 })
    expect(second.body).toMatchObject({ uses: 2, max_uses: 2 })
    expect(Object(second.body).created_at).toBe(Object(first.body).created_at)
    expect(await verify(body)).toMatchObject({ status: 400 })
  })

  test('counts without end where there is no limit', async () => {
    const body = await request({ action: '' })
    for (const uses of [1, 2, 3])
      expect((await verify(body)).body).toMatchObject({ action: '', uses, max_uses: 0 })
  })

  test('counts for its own action only', async () => {
    await platform.action(app, { action: 'other' })
    const nullifier = 99n
    expect(await verify(await request({ nullifier }))).toMatchObject({ status: 200 })
    expect(await verify(await request({ nullifier, action: 'other' }))).toMatchObject({
      status: 200,
    })
  })

  test.each(['orb', 'secure_document', 'document', 'device', 'face', 'selfie'])(
    'is accepted at level %s, which is answered',
    async (verification_level) => {
      const body = { ...(await request({ action: '' })), verification_level }
      expect(await verify(body)).toMatchObject({ status: 200, body: { verification_level } })
    },
  )

  test('has the hash of its signal; without one, that of the empty text', async () => {
    const { signal_hash, ...without } = await request({ signal: 'transfer 10 to alice' })
    expect(await verify(without)).toMatchObject({ status: 400, body: { code: 'invalid_proof' } })
    expect(await verify({ ...without, signal_hash })).toMatchObject({ status: 200 })
  })

  test('may come with keys that we do not know', async () => {
    const body = { ...(await request({ action: '' })), credential_type: 'orb', uses: 1_000 }
    expect(await verify(body)).toMatchObject({ status: 200 })
  })
})

describe('real people', () => {
  test.each([
    ['hola-mundo', false],
    ['solidity-test-A', true],
  ])('%s verifies (staging: %s)', async (name, is_staging) => {
    const real = realProof(name)
    const { app_id: id, action } = real
    if (!id || !action) throw new Error('The vector has no app.')
    await platform.app({ team, id, is_staging })
    await platform.action(id, { action })
    await publish(BigInt(real.merkle_root), is_staging ? 'staging' : 'production')
    const body = {
      action,
      proof: real.proof,
      merkle_root: real.merkle_root,
      nullifier_hash: real.nullifier_hash,
      signal_hash: real.signal_hash,
      verification_level: 'orb',
    }
    expect(await verify(body, id)).toMatchObject({
      status: 200,
      body: { nullifier_hash: real.nullifier_hash },
    })
    expect(await verify(body, id)).toMatchObject({ status: 400 })
  })

  test('are not what the development key makes: a forged proof is refused in production', async () => {
    const id = await platform.app({ team, is_staging: false })
    await platform.action(id)
    await publish(ROOT, 'production')
    expect(await verify(await request({ app: id }), id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_proof', attribute: null },
    })
  })
})

describe('checks, in their order', () => {
  test.each([
    ['/api/v2/verify/', 'required'],
    ['/api/v2/verify', 'required'],
  ])('no app id: POST %s', async (path, code) => {
    const reply = await platform.post(path, 'not JSON')
    expect(reply).toMatchObject({ status: 400, body: { code, attribute: 'app_id' } })
  })

  test('a body that is not JSON, before the app is looked at', async () => {
    const reply = await platform.post('/api/v2/verify/app_unknown', 'not JSON')
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  test.each([
    ['nullifier_hash', undefined],
    ['nullifier_hash', ''],
    ['nullifier_hash', '0x'],
    ['nullifier_hash', `0x${'f'.repeat(65)}`],
    ['nullifier_hash', ' 0x1'],
    ['nullifier_hash', '0x1\n'],
    ['nullifier_hash', 1],
    ['proof', undefined],
    ['proof', null],
    ['proof', ['0x']],
    ['merkle_root', undefined],
    ['merkle_root', {}],
    ['verification_level', undefined],
    ['verification_level', 'Orb'],
    ['verification_level', 'phone'],
    ['action', undefined],
    ['action', null],
    ['action', 7],
    ['signal_hash', 'abc'],
    ['signal_hash', '0x'],
    ['signal_hash', null],
    ['max_age', 3_599],
    ['max_age', 604_801],
    ['max_age', 3_600.5],
    ['max_age', '3600'],
  ])('schema, before the app is looked at: %s is %j', async (field, value) => {
    const body = { ...(await request()), [field]: value }
    expect(await verify(body, 'app_unknown')).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: field },
    })
  })

  test.each([
    ['unknown', async () => `app_${'0'.repeat(32)}`],
    ['nonsense', async () => "app'; drop table app; --"],
    ['no text that could be stored', async () => 'app\0'],
    ['very long', async () => 'a'.repeat(10_000)],
    ['archived', () => appThatIs('is_archived = true')],
    ['inactive', () => appThatIs("status = 'inactive'")],
  ])('an app that is %s', async (_name, find) => {
    expect(await verify(await request(), await find())).toMatchObject({
      status: 404,
      body: { code: 'not_found', attribute: 'app_id' },
    })
  })

  test('an action that the app does not have, before its engine', async () => {
    const id = await appThatIs("engine = 'on-chain'")
    expect(await verify({ ...(await request()), action: 'nope' }, id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_action', attribute: 'action' },
    })
  })

  test('an on-chain app, before the status of the action', async () => {
    const id = await appThatIs("engine = 'on-chain'")
    await platform.db.query("update action set status = 'inactive' where app_id = $1", [id])
    expect(await verify(await request(), id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_engine', attribute: 'engine' },
    })
  })

  test('an inactive action, before the limit', async () => {
    const body = await request({ action: 'closed' })
    const action = await platform.action(app, { action: 'closed' })
    await verify(body)
    await platform.db.query("update action set status = 'inactive' where id = $1", [action])
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: 'action_inactive', attribute: 'status' },
    })
  })

  test('the limit, before anything is decoded', async () => {
    const body = await request({ nullifier: 1234n })
    await verify(body)
    expect(await verify({ ...body, proof: '0x' })).toMatchObject({
      status: 400,
      body: { code: 'max_verifications_reached' },
    })
  })

  test.each([
    ['proof', ''],
    ['proof', '0x1234'],
    ['proof', `0x${'g'.repeat(512)}`],
    ['proof', `0x${'0'.repeat(514)}`],
    ['proof', '[[1,2],[3,4]]'],
    ['merkle_root', ''],
    ['merkle_root', '0xzz'],
    ['merkle_root', formatField(r)],
    ['merkle_root', `0x${'0'.repeat(65)}`],
    ['nullifier_hash', formatField(r)],
    ['nullifier_hash', `0x${'f'.repeat(64)}`],
    ['signal_hash', `0x${'f'.repeat(64)}`],
    ['signal_hash', `0x${'0'.repeat(65)}`],
  ])('decoding, before the root is asked for: %s is %s', async (field, value) => {
    const body = { ...(await request({ root: 1n })), [field]: value }
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_format', attribute: field },
    })
  })

  test('an unknown root, before the proof', async () => {
    const body = { ...(await request()), merkle_root: formatField(ROOT + 1n) }
    expect(await verify(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_merkle_root', attribute: 'merkle_root' },
    })
  })

  test('a root of the other group', async () => {
    await publish(31n, 'production')
    expect(await verify(await request({ root: 31n }))).toMatchObject({
      body: { code: 'invalid_merkle_root' },
    })
  })

  test('a root that was superseded too long ago, and max_age', async () => {
    await publish(51n)
    await publish(ROOT)
    const body = await request({ action: '', root: 51n })
    const whenLater = async (seconds: number, max_age?: number) => {
      platform.clock.aheadMs = seconds * 1_000
      return Object((await verify({ ...body, ...(max_age && { max_age }) })).body)
    }
    expect(await whenLater(0, 3_600)).toMatchObject({ success: true })
    expect(await whenLater(3_700)).toMatchObject({ success: true })
    expect(await whenLater(3_700, 3_600)).toMatchObject({
      code: 'root_too_old',
      attribute: 'merkle_root',
    })
    expect(await whenLater(604_000)).toMatchObject({ success: true })
    expect(await whenLater(605_000)).toMatchObject({ code: 'root_too_old' })
    platform.clock.aheadMs = 0
  })

  test.each([
    ['another nullifier', { nullifier_hash: formatField(5n) }],
    ['another signal', { signal_hash: formatField(hashToField('other')) }],
    ['zeros', { proof: `0x${'0'.repeat(512)}` }],
  ])('a proof with %s', async (_name, change) => {
    expect(await verify({ ...(await request()), ...change })).toMatchObject({
      status: 400,
      body: { code: 'invalid_proof', attribute: null },
    })
  })

  test('a proof for another action or another app', async () => {
    await platform.action(app, { action: 'sibling' })
    const other = await platform.app({ team })
    await platform.action(other)
    const body = await request({ nullifier: 77_777n })
    const wrong = { status: 400, body: { code: 'invalid_proof' } }
    expect(await verify({ ...body, action: 'sibling' })).toMatchObject(wrong)
    expect(await verify(body, other)).toMatchObject(wrong)
  })
})

describe('one person is one person', () => {
  test('in every spelling of the nullifier', async () => {
    const nullifier = 0x00abcdefn
    const body = await request({ nullifier })
    const digits = nullifier.toString(16)
    const spellings = [
      digits,
      digits.toUpperCase(),
      `0x${digits}`,
      `0x${digits.toUpperCase()}`,
      digits.padStart(64, '0'),
      `0x${digits.padStart(64, '0')}`,
      `0x00${digits}`,
    ]
    const replies = await Promise.all(
      spellings.map((nullifier_hash) => verify({ ...body, nullifier_hash })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...spellings.slice(1).map(() => 400),
    ])
    expect(await count(nullifier)).toBe(1)
  })

  test('also when the nullifier is raised by the modulus', async () => {
    const nullifier = 3n
    const body = await request({ nullifier })
    await verify(body)
    for (const k of [1n, 2n, 3n, 4n, 5n])
      expect(
        await verify({ ...body, nullifier_hash: formatField(nullifier + k * r) }),
      ).toMatchObject({ status: 400, body: { code: 'invalid_format' } })
  })

  test.each([1, 2, 5])('with a limit of %i, 200 requests at once succeed as often', async (max) => {
    const action = `race-${max}`
    await platform.action(app, { action, max_verifications: max })
    const body = await request({ action, nullifier: 5n })
    const replies = await Promise.all(Array.from({ length: 200 }, () => verify(body)))
    const refused = replies.filter(({ status }) => status !== 200)
    expect(replies.length - refused.length).toBe(max)
    for (const reply of refused)
      expect(reply).toMatchObject({ status: 400, body: { code: 'max_verifications_reached' } })
  })
})

describe('a crowd', () => {
  test('gets each their own answer, whatever the others ask', async () => {
    const elsewhere = await platform.app({ team })
    await platform.action(elsewhere)
    await platform.action(elsewhere, { action: 'shut', status: 'inactive' })
    const person = await request()
    const asked: [string, string, object][] = await Promise.all(
      Array.from({ length: 8 }, async () => [
        ['counted', app, await request()],
        ['counted', elsewhere, await request({ app: elsewhere })],
        ['max_verifications_reached', app, person],
        ['invalid_proof', elsewhere, person],
        ['not_found', 'app\0', person],
        ['invalid_action', app, { ...person, action: 'shut' }],
        ['invalid_action', app, { ...person, action: 'a\0b' }],
        ['invalid_action', app, { ...person, action: 'x'.repeat(90_000) }],
        ['action_inactive', elsewhere, { ...person, action: 'shut' }],
        ['invalid_format', app, { ...(await request()), merkle_root: 'none' }],
      ]),
    ).then((rounds) => rounds.flat() as [string, string, object][])
    await verify(person)
    const replies = await Promise.all(asked.map(([, id, body]) => verify(body, id)))
    const codes = replies.map(({ body }) => Object(body).code ?? 'counted')
    expect(codes).toEqual(asked.map(([code]) => code))
  })
})

type Change = Partial<Parameters<typeof forgeRequest>[0]>
let people = 1_000_000n

/** A request of a person who has not been seen, unless `change` says who they are. */
function request(change: Change = {}) {
  people += 1n
  return forgeRequest({ app, action: 'vote', root: ROOT, nullifier: people, ...change })
}

function verify(body: object, id = app) {
  return platform.post(`/api/v2/verify/${encodeURIComponent(id)}`, body)
}

function publish(root: bigint, group: 'production' | 'staging' = 'staging') {
  return publishRoot({ rpcUrl: platform.anvil.rpcUrl, group, root })
}

async function appThatIs(change: string): Promise<string> {
  const id = await platform.app({ team })
  await platform.action(id)
  await platform.db.query(`update app set ${change} where id = $1`, [id])
  return id
}

async function count(nullifier: bigint): Promise<number> {
  const { rowCount } = await platform.db.query('select from nullifier where nullifier_hash = $1', [
    formatField(nullifier),
  ])
  return rowCount ?? 0
}
