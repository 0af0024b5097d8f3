import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES, textsIn } from '../../../oidc/page/texts.ts'
import {
  authorizeUrl,
  registerClient,
  type TestClient,
} from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene } from '../../support/oidc/sign-in-scene.ts'
import { startTestSignIn, type TestSignIn } from '../../support/oidc/start-sign-in.ts'
import { Visitor } from '../../support/oidc/visitor.ts'

// A cookie ties a sign-in to its browser. If the browser sends no cookie, the person must learn the reason, and not start again
// and again.

let platform: TestSignIn
let client: TestClient

beforeAll(async () => {
  platform = await startTestSignIn()
  client = await registerClient(platform.url)
})
afterAll(() => platform.stop())

async function begin(): Promise<string> {
  return (await new Visitor(platform.url).begin(authorizeUrl(client))).path
}

describe('a browser that sends no cookie gets an explanation', () => {
  test.each(LANGUAGES)(
    'a person without cookies reads in "%s" that the browser blocks cookies',
    async (language) => {
      const answer = await new Visitor(platform.url).request(
        `${await begin()}?ui_locales=${language}`,
      )
      expect(answer.status).toBe(400)
      const html = await answer.text()
      expect(html).toContain(`<html lang="${language}"`)
      expect(html).toContain(textsIn(language).error_no_cookie)
    },
  )

  test('if a sign-in has expired, a person without cookies reads this, and not that cookies are blocked', async () => {
    const path = await begin()
    await platform.db.query("delete from oidc_artifact where model = 'Interaction'")
    const html = await (await new Visitor(platform.url).request(path)).text()
    expect(html).toContain(textsIn('en').error_expired)
  })

  test('requests without cookies are rate-limited, because each reads a sign-in from the database', async () => {
    const { url } = await platform.startAnother({ env: { RATE_LIMIT_SIGN_IN: '2/3600' } })
    const statuses: number[] = []
    for (let n = 0; n < 4; n++) statuses.push((await new Visitor(url).request('/login/any')).status)
    expect(statuses).toContain(429)
  })
})

test('a program that sends no cookie gets the code cookie_missing', async () => {
  const headers = { accept: 'application/json' }
  const answer = await new Visitor(platform.url).request(await begin(), { headers })
  expect(await answer.json()).toMatchObject({ code: 'cookie_missing', error: 'invalid_request' })
})

describe('a page is in the language of the request', () => {
  const languageFor = async (acceptLanguage: string, path = '/login/none') => {
    const headers = { 'accept-language': acceptLanguage }
    const html = await (await new Visitor(platform.url).request(path, { headers })).text()
    return /<html lang="(\w+)"/.exec(html)?.[1]
  }

  test.each([
    ['de', 'de'],
    ['fr;q=0.5, de;q=0.9', 'de'],
    ['en;q=0.1, pt-BR', 'pt'],
    ['nl, ja;q=0.2, es;q=0.4', 'es'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['nl, *;q=0.5', 'en'],
    ['nl', 'en'],
    ['', 'en'],
  ])('with Accept-Language %j a page is in %s', async (acceptLanguage, language) => {
    expect(await languageFor(acceptLanguage)).toBe(language)
  })

  test('ui_locales takes precedence over Accept-Language', async () => {
    expect(await languageFor('fr', '/authorize?ui_locales=nl%20de-AT')).toBe('de')
  })
})

describe('in Chromium, the page explains that cookies are missing', () => {
  let scene: SignInScene

  beforeAll(async () => {
    scene = await startSignInScene()
  })
  afterAll(() => scene.stop())

  test('a person who deletes the cookies and reloads reads what to do', async () => {
    const tab = await scene.openTab()
    await tab.arrive()
    await tab.context.clearCookies()
    await tab.page.reload()
    await tab.page.getByText('Your browser blocks cookies, or you started in another').waitFor()
  })
})
