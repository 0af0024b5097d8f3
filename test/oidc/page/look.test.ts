import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LANGUAGES, textsIn } from '../../../oidc/page/texts.ts'
import { authorizeUrl, registerClient } from '../../support/oidc/register-client.ts'
import { type SignInScene, startSignInScene, type Tab } from '../../support/oidc/sign-in-scene.ts'
import { ISSUER } from '../../support/oidc/start-sign-in.ts'

// Tests the appearance of the sign-in page on different devices and in different languages.

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
const LOGO = 'https://cdn.example/logo.svg'
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="56" height="56"><rect width="56" height="56" fill="teal"/></svg>'

let scene: SignInScene
let tab: Tab

beforeAll(async () => {
  scene = await startSignInScene()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  tab = await scene.openTab()
})
afterEach(() => tab.context.close())

async function appWith(logo_url: string, is_verified: boolean): Promise<string> {
  const client = await registerClient(scene.platform.url, { client_name: 'Corner shop' })
  await scene.platform.db.query('update app set logo_url = $2 where id = $1', [client.id, logo_url])
  await scene.platform.db.query('update app set is_verified = $2 where id = $1', [
    client.id,
    is_verified,
  ])
  return authorizeUrl(client).replace(ISSUER, scene.platform.env.AUTH_URL)
}

/** Saves a screenshot if SHOT is set: `SHOT=/tmp/page npx vitest run test/oidc/page`. */
async function shoot({ page }: Pick<Tab, 'page'>, name: string) {
  if (process.env.SHOT)
    await page.screenshot({ path: `${process.env.SHOT}-${name}.png`, fullPage: true })
}

describe('the page shows only logos of verified apps', () => {
  test('the logo of a verified app is shown, and the page may load pictures only from the origin of the logo', async () => {
    await tab.page.route('https://cdn.example/*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
    )
    const response = await tab.page.goto(await appWith(LOGO, true))
    const policy = response?.headers()['content-security-policy']
    expect(policy).toContain('img-src data: https://cdn.example;')
    expect(policy).toContain("default-src 'none'")
    await tab.page.locator('#open[href]').waitFor()
    const width = () => tab.page.evaluate('document.querySelector("#logo").naturalWidth')
    await expect.poll(width).toBe(56)
    expect(tab.complaints).toEqual([])
    await shoot(tab, 'logo')
    await tab.page.emulateMedia({ colorScheme: 'dark' })
    await shoot(tab, 'logo-dark')
  })

  test('a logo that cannot be loaded is removed', async () => {
    await tab.page.route('https://cdn.example/*', (route) => route.abort())
    await tab.page.goto(await appWith(LOGO, true))
    await expect.poll(() => tab.page.locator('#logo').count()).toBe(0)
  })

  test.each([
    ['an unverified app', LOGO, false],
    ['an app without a logo', '', true],
    ['an app with a logo at http:', 'http://cdn.example/logo.svg', true],
  ])('no logo is requested for %s', async (_name, logo, isVerified) => {
    const requestedUrls: string[] = []
    tab.page.on('request', (request) => requestedUrls.push(request.url()))
    const response = await tab.page.goto(await appWith(logo, isVerified))
    expect(response?.headers()['content-security-policy']).toContain('img-src data:;')
    await tab.page.locator('#open[href]').waitFor()
    expect(await tab.page.locator('#logo').count()).toBe(0)
    expect(requestedUrls.filter((url) => url.includes('cdn.example'))).toEqual([])
  })
})

describe('on a phone, the page shows the wallet link first', () => {
  let phone: Tab
  beforeEach(async () => {
    phone = await scene.openTab(PHONE)
    await phone.arrive()
  })
  afterEach(() => phone.context.close())

  test('on a phone the wallet link comes first, and the QR code is hidden', async () => {
    expect(await phone.page.locator('#status').textContent()).toBe('Open your wallet to continue.')
    expect(await phone.page.locator('#code').isVisible()).toBe(false)
    const tops = await Promise.all(
      ['#open', '#elsewhere', '#cancel'].map(
        async (id) => (await phone.page.locator(id).boundingBox())?.y ?? 0,
      ),
    )
    expect(tops).toEqual(tops.toSorted((lighter, darker) => lighter - darker))
    expect(tops[0]).toBeGreaterThan(0)
    await shoot(phone, 'phone')
    await phone.page.emulateMedia({ colorScheme: 'dark' })
    await shoot(phone, 'phone-dark')
  })

  test('on a phone "My wallet is on another device" shows the QR code', async () => {
    await phone.page.getByText('My wallet is on another device').tap()
    expect(await phone.page.locator('#code svg').isVisible()).toBe(true)
    await shoot(phone, 'phone-code')
  })
})

test.each(['light', 'dark'] as const)(
  'the keyboard focus is visible in %s mode',
  async (colorScheme) => {
    await tab.page.emulateMedia({ colorScheme })
    await tab.arrive()
    for (const id of ['open', 'simulate', 'cancel']) {
      await tab.page.keyboard.press('Tab')
      expect(await tab.page.evaluate('document.activeElement.id')).toBe(id)
      const { style, ring, ground } = await tab.page.evaluate<Ring>(RING)
      expect(style).toBe('solid')
      expect(contrast(ring, ground), `${ring} on ${ground}`).toBeGreaterThan(3)
    }
    await shoot(tab, `focus-${colorScheme}`)
  },
)

type Ring = { style: string; ring: string; ground: string }
const RING = `({
  style: getComputedStyle(document.activeElement).outlineStyle,
  ring: getComputedStyle(document.activeElement).outlineColor,
  ground: getComputedStyle(document.querySelector('main')).backgroundColor,
})`

/** The contrast of two colours (WCAG 2.2). */
function contrast(...colours: [string, string]): number {
  const [lighter = 0, darker = 0] = colours.map(luminance).toSorted((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((text) => {
    const value = Number(text) / 255
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe('the page is in the language of ui_locales or of the browser', () => {
  test.each(LANGUAGES)(
    'with ui_locales=%s the title, the status and the wallet link of the page are in that language',
    async (language) => {
      const client = await registerClient(scene.platform.url, { client_name: 'Shop' })
      const url = authorizeUrl(client, { ui_locales: `xx ${language}-XX en` })
      await tab.page.goto(url.replace(ISSUER, scene.platform.env.AUTH_URL))
      await tab.page.locator('#open[href]').waitFor()
      const texts = textsIn(language)
      expect(await tab.page.locator('html').getAttribute('lang')).toBe(language)
      expect(await tab.page.title()).toBe(texts.title?.replace('{app}', 'Shop'))
      expect(await tab.page.locator('#status').textContent()).toBe(texts.scan)
      expect(await tab.page.locator('#open').textContent()).toBe(texts.open)
      expect(await tab.page.locator('main').textContent()).not.toMatch(/[{}]/)
      await shoot(tab, `language-${language}`)
    },
  )

  test('without ui_locales the page is in the browser’s language, or else in English', async () => {
    const { url } = scene.platform
    const languageOf = async (query: string, acceptLanguage: string) => {
      const headers = { accept: 'text/html', 'accept-language': acceptLanguage }
      const page = await (await fetch(`${url}/authorize?${query}`, { headers })).text()
      return /<html lang="(\w+)">/.exec(page)?.[1]
    }
    expect(await languageOf('', 'nl,fr-CH;q=0.9,en;q=0.8')).toBe('fr')
    expect(await languageOf('ui_locales=ja', 'fr')).toBe('ja')
    expect(await languageOf('ui_locales=de&ui_locales=ja', 'fr')).toBe('fr')
    expect(await languageOf('', '*')).toBe('en')
  })
})

describe('texts.json has every text in every language, and no technical words in English', () => {
  const english = textsIn('en')
  const braces = (text = '') => text.match(/\{\w+\}/g)?.toSorted() ?? []

  test.each(LANGUAGES)(
    'every text exists in %s, with the same placeholders as in English',
    (language) => {
      const texts = textsIn(language)
      expect(Object.keys(texts)).toEqual(Object.keys(english))
      for (const [name, text] of Object.entries(texts))
        expect(braces(text), name).toEqual(braces(english[name]))
    },
  )

  test('the English texts contain no technical words', () => {
    for (const text of Object.values(english))
      expect(text).not.toMatch(
        /\b(merkle|root|nullifier|proof|zero-knowledge|input|signal|oauth)\b/i,
      )
  })
})
