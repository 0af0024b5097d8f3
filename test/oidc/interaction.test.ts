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

describe('the sign-in page works only in the browser and for the sign-in that it was made for', () => {
  const begin = () => new Visitor(platform.url).begin(authorizeUrl(client))

  test('the page forbids frames and caching, loads only from the sign-in server, and connects only to it and the bridge', async () => {
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

  test('another browser cannot open the page or submit a proof', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const stranger = new Visitor(platform.url)
    expect((await stranger.request(page.path)).status).toBe(400)
    const answer = await stranger.prove(page)
    expect([answer.status, Object(await answer.json()).code]).toEqual([400, 'sign_in_expired'])
  })

  test.each([
    ['an unknown uid', (uid: string) => `/login/${uid.split('').reverse().join('')}`],
    ['the uid "none"', () => '/login/none'],
  ])('a proof that is submitted to the path with %s gets 400', async (_name, pathOf) => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const answer = await visitor.prove({ ...page, path: pathOf(page.path.slice(7)) })
    expect(answer.status).toBe(400)
  })

  test('the page requests the levels that the groups of the environment can prove', async () => {
    const { levels } = await begin()
    expect(levels).toEqual([...VERIFICATION_LEVELS])
    const { url } = await platform.startAnother({
      env: { GROUPS_STAGING: 'staging.example=document+secure_document' },
    })
    const page = await new Visitor(url).begin(authorizeUrl(client))
    expect(page.levels).toEqual(['secure_document', 'document'])
  })

  test('an altered sign-in cookie is rejected', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    visitor.cookies.set('_interaction.sig', 'A'.repeat(27))
    expect((await visitor.request(page.path)).status).toBe(400)
  })

  test('a session cookie is ignored, and no session cookie is set', async () => {
    const visitor = new Visitor(platform.url)
    visitor.cookies.set('_session', 'x')
    const back = await visitor.signIn(authorizeUrl(client))
    expect(new URL(String(back.headers.get('location'))).searchParams.get('code')).not.toBeNull()
    expect(visitor.cookies.get('_session')).toBe('x')
    const names = back.headers.getSetCookie().map((cookie) => cookie.split('=')[0])
    expect(names.filter((name) => name?.startsWith('_session'))).toEqual([])
  })

  test('a proof with a wrong CSRF token gets 403', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const answer = await visitor.prove({ ...page, csrf: 'x' })
    expect([answer.status, Object(await answer.json()).attribute]).toEqual([403, 'csrf'])
  })

  test('a proof is rejected in every other sign-in, of the same app or another app', async () => {
    const otherClient = await registerClient(platform.url)
    const firstPage = await begin()
    for (const rp of [client, otherClient]) {
      const visitor = new Visitor(platform.url)
      const page = await visitor.begin(authorizeUrl(rp))
      const answer = await visitor.prove({ ...page, signalHash: firstPage.signalHash })
      expect([answer.status, Object(await answer.json()).code]).toEqual([400, 'invalid_proof'])
    }
  })

  test('a proof that is submitted eight times at once is accepted and counted once', async () => {
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

  test('a proof is not counted while sign-in is switched off, and is accepted once it is on again', async () => {
    const rp = await registerClient(platform.url)
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(rp))
    const setStatus = (status: string) =>
      platform.db.query('update action set status = $2 where app_id = $1', [rp.id, status])
    await setStatus('inactive')
    const rejection = await visitor.prove(page)
    expect([rejection.status, Object(await rejection.json()).code]).toEqual([
      400,
      'action_inactive',
    ])
    expect(await usesOf(rp)).toEqual([])
    await setStatus('active')
    expect((await visitor.prove(page)).status).toBe(200)
  })

  test('a person may sign in three times, and each sign-in is counted', async () => {
    const rp = await registerClient(platform.url)
    for (let i = 0; i < 3; i++) await new Visitor(platform.url).signIn(authorizeUrl(rp))
    expect(await usesOf(rp)).toEqual([{ uses: 3 }])
  })

  test('the URL that returns to the app works once, and only in the browser of the sign-in', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const { redirect_to } = Object(await (await visitor.prove(page)).json())
    const strangerAnswer = await new Visitor(platform.url).request(redirect_to)
    expect([strangerAnswer.status, strangerAnswer.headers.get('location')]).toEqual([400, null])
    expect((await visitor.request(redirect_to)).status).toBe(303)
    const again = await visitor.request(redirect_to)
    expect([again.status, again.headers.get('location')]).toEqual([400, null])
    expect(await again.text()).toContain('This sign-in has expired. Go back and start again.')
    const jsonAnswer = await visitor.request(redirect_to, {
      headers: { accept: 'application/json' },
    })
    expect(await jsonAnswer.json()).toMatchObject({ code: 'sign_in_expired', attribute: null })
  })

  test.each([
    ['code', 'a code'],
    ['id_token', 'nothing'],
    ['id_token token', 'a token'],
  ])(
    'eight simultaneous returns with response_type=%s, which stores %s, succeed once',
    async (response_type) => {
      const visitor = new Visitor(platform.url)
      const page = await visitor.begin(authorizeUrl(client, { response_type }))
      const { redirect_to } = Object(await (await visitor.prove(page)).json())
      const cookies = new Map(visitor.cookies)
      const requests = Array.from({ length: 8 }, () => {
        const tab = new Visitor(platform.url)
        for (const [name, value] of cookies) tab.cookies.set(name, value)
        return tab.request(redirect_to)
      })
      const answers = await Promise.all(requests)
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([303, ...Array.from({ length: 7 }, () => 400)])
      const redirects = answers.filter(({ headers }) => headers.has('location'))
      expect(redirects.map(({ status }) => status)).toEqual([303])
    },
  )

  test.each([
    ['not JSON', 'proof=1'],
    ['incomplete JSON', '{"proof":'],
    ['a JSON list', '[]'],
    ['40 kB long', `{"proof":"${'x'.repeat(40_000)}"}`],
    ['null', 'null'],
    [
      'an object with numbers',
      '{"csrf":1,"proof":2,"merkle_root":3,"nullifier_hash":4,"verification_level":5}',
    ],
  ])('a body that is %s gets 400 or 413', async (_name, body) => {
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

test('a proof with a root that was superseded more than an hour ago gets root_too_old', async () => {
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
  const rejection = await submit(later.url)
  expect([rejection.status, Object(await rejection.json()).code]).toEqual([400, 'root_too_old'])
  expect((await submit(platform.url)).status).toBe(200)
})

/** Reads the number of sign-ins of each person to an app. */
async function usesOf({ id }: TestClient) {
  const { rows } = await platform.db.query(
    "select uses from nullifier join action on action.id = action_id where action = '' and app_id = $1",
    [id],
  )
  return rows
}
