import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERIFICATION_LEVELS } from '../../lib/proof/verification-level.ts'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { authorizeUrl, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

beforeAll(async () => {
  platform = await startTestSignIn()
  client = await registerClient(platform.url)
})
afterAll(() => platform.stop())

describe('the sign-in page', () => {
  const begin = () => new Visitor(platform.url).begin(authorizeUrl(client))

  test('is in no frame, in no cache, and loads from here alone', async () => {
    const visitor = new Visitor(platform.url)
    const { path } = await visitor.begin(authorizeUrl(client))
    const { headers } = await visitor.request(path)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' https://bridge.worldcoin.org; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    )
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('is for the browser that began', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const stranger = new Visitor(platform.url)
    expect((await stranger.request(page.path)).status).toBe(400)
    const answer = await stranger.prove(page)
    expect([answer.status, Object(await answer.json()).code]).toEqual([400, 'sign_in_expired'])
  })

  test.each([
    [
      'another sign-in of the same browser',
      (uid: string) => `/login/${uid.split('').reverse().join('')}`,
    ],
    ['no sign-in', () => '/login/none'],
  ])('%s is not this one', async (_name, pathOf) => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const answer = await visitor.prove({ ...page, path: pathOf(page.path.slice(7)) })
    expect(answer.status).toBe(400)
  })

  test('asks wallets for the levels that the groups of the environment prove', async () => {
    const { levels } = await begin()
    expect(levels).toEqual([...VERIFICATION_LEVELS])
    const { url } = await platform.startAnother({
      env: { GROUPS_STAGING: 'staging.example=document+secure_document' },
    })
    const page = await new Visitor(url).begin(authorizeUrl(client))
    expect(page.levels).toEqual(['secure_document', 'document'])
  })

  test('a cookie that was altered is ignored', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    visitor.cookies.set('_interaction.sig', 'A'.repeat(27))
    expect((await visitor.request(page.path)).status).toBe(400)
  })

  test('a session cookie is ignored, and none is set', async () => {
    const visitor = new Visitor(platform.url)
    visitor.cookies.set('_session', 'x')
    const back = await visitor.signIn(authorizeUrl(client))
    expect(new URL(String(back.headers.get('location'))).searchParams.get('code')).not.toBeNull()
    expect(visitor.cookies.get('_session')).toBe('x')
    const names = back.headers.getSetCookie().map((cookie) => cookie.split('=')[0])
    expect(names.filter((name) => name?.startsWith('_session'))).toEqual([])
  })

  test('a forged request is refused', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const answer = await visitor.prove({ ...page, csrf: 'x' })
    expect([answer.status, Object(await answer.json()).attribute]).toEqual([403, 'csrf'])
  })

  test('a proof for one sign-in is good for no other, of whichever app', async () => {
    const other = await registerClient(platform.url)
    const mine = await begin()
    for (const rp of [client, other]) {
      const visitor = new Visitor(platform.url)
      const page = await visitor.begin(authorizeUrl(rp))
      const answer = await visitor.prove({ ...page, signalHash: mine.signalHash })
      expect([answer.status, Object(await answer.json()).code]).toEqual([400, 'invalid_proof'])
    }
  })

  test('one proof signs in once, however many requests race', async () => {
    const rp = await registerClient(platform.url)
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(rp))
    const answers = await Promise.all(Array.from({ length: 8 }, () => visitor.prove(page)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 400)])
    const codes = await Promise.all(answers.map(async (answer) => Object(await answer.json()).code))
    for (const code of codes) expect(code).toBeOneOf([undefined, 'proof_used', 'sign_in_expired'])
    expect(await usesOf(rp)).toEqual([{ uses: 1 }])
  })

  test('sign-in that is switched off under way counts nobody, and goes on when it is back', async () => {
    const rp = await registerClient(platform.url)
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(rp))
    const turn = (status: string) =>
      platform.db.query('update action set status = $2 where app_id = $1', [rp.id, status])
    await turn('inactive')
    const refused = await visitor.prove(page)
    expect([refused.status, Object(await refused.json()).code]).toEqual([400, 'action_inactive'])
    expect(await usesOf(rp)).toEqual([])
    await turn('active')
    expect((await visitor.prove(page)).status).toBe(200)
  })

  test('the same person may sign in again and again, and each time is counted', async () => {
    const rp = await registerClient(platform.url)
    for (let i = 0; i < 3; i++) await new Visitor(platform.url).signIn(authorizeUrl(rp))
    expect(await usesOf(rp)).toEqual([{ uses: 3 }])
  })

  test('the way back works once, and only in that browser', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const { redirect_to } = Object(await (await visitor.prove(page)).json())
    const stolen = await new Visitor(platform.url).request(redirect_to)
    expect([stolen.status, stolen.headers.get('location')]).toEqual([400, null])
    expect((await visitor.request(redirect_to)).status).toBe(303)
    const again = await visitor.request(redirect_to)
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
    expect(await again.text()).toContain('This sign-in has expired: go back and begin again.')
    const told = await visitor.request(redirect_to, { headers: { accept: 'application/json' } })
    expect(await told.json()).toMatchObject({ code: 'sign_in_expired', attribute: null })
  })

  test.each([
    ['code', 'a code'],
    ['id_token', 'nothing that is stored'],
    ['id_token token', 'a token at once'],
  ])('the way back works once, however many requests race (%s: %s)', async (response_type) => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client, { response_type }))
    const { redirect_to } = Object(await (await visitor.prove(page)).json())
    const cookies = new Map(visitor.cookies)
    const ways = Array.from({ length: 8 }, () => {
      const tab = new Visitor(platform.url)
      for (const [name, value] of cookies) tab.cookies.set(name, value)
      return tab.request(redirect_to)
    })
    const answers = await Promise.all(ways)
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([303, ...Array.from({ length: 7 }, () => 400)])
    const ledBack = answers.filter(({ headers }) => headers.has('location'))
    expect(ledBack.map(({ status }) => status)).toEqual([303])
  })

  test.each([
    ['not JSON', 'proof=1'],
    ['half of it', '{"proof":'],
    ['a list', '[]'],
    ['too much', `{"proof":"${'x'.repeat(40_000)}"}`],
    ['null', 'null'],
    ['numbers', '{"csrf":1,"proof":2,"merkle_root":3,"nullifier_hash":4,"verification_level":5}'],
  ])('a body that is %s', async (_name, body) => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const answer = await visitor.request(page.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
    })
    expect(answer.status).toBeOneOf([400, 413])
    expect(Object(await answer.json()).attribute).not.toBe('')
  })
})

test('a root that was superseded too long ago is refused with that reason', async () => {
  const { rpcUrl } = platform.anvil
  await publishRoot({ rpcUrl, group: 'staging', root: 815n })
  const visitor = new Visitor(platform.url)
  const later = await platform.startAnother({ aheadMs: 3_700_000 })
  const page = await visitor.begin(authorizeUrl(client))
  const submit = async (url: string) => {
    const elsewhere = new Visitor(url)
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value)
    return elsewhere.prove(page)
  }
  const refused = await submit(later.url)
  expect([refused.status, Object(await refused.json()).code]).toEqual([400, 'root_too_old'])
  expect((await submit(platform.url)).status).toBe(200)
})

/** How often each person signed in to an app. */
async function usesOf({ id }: TestClient) {
  const { rows } = await platform.db.query(
    "select uses from nullifier join action on action.id = action_id where action = '' and app_id = $1",
    [id],
  )
  return rows
}
