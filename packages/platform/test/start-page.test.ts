import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../lib/runtime/config.ts'
import { startBrowser } from '../../../test/support/chromium.ts'
import { FACTS } from '../../../test/support/pages/facts.ts'
import {
  startTestPlatform,
  type TestPlatform,
} from '../../../test/support/webhooks/start-platform.ts'
import { renderStartPage } from '../commands/start/start-page.ts'

const folder = mkdtempSync(join(tmpdir(), 'start-page-'))
const file = join(folder, 'start-page.html')
let platform: TestPlatform

beforeAll(async () => {
  platform = await startTestPlatform({ START_PAGE_FILE: file })
})
afterAll(async () => {
  await platform.stop()
  rmSync(folder, { recursive: true })
})

test('/local returns 404 before all parts run, and the start page afterwards', async () => {
  expect((await fetch(`${platform.baseUrl}/local`)).status).toBe(404)
  writeFileSync(file, renderStartPage(FACTS))
  const response = await fetch(`${platform.baseUrl}/local`)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  expect(response.headers.get('content-security-policy')).toContain("style-src 'sha256-")
  const page = await response.text()
  expect(page).toContain(FACTS.apiKey)
  // Every program on this machine can read the page. With the password of a superuser, it could run programs through SQL.
  expect(page).toContain('postgres://postgres@127.0.0.1:10432/platform')
  expect(page).not.toContain(new URL(FACTS.databaseUrl).password)
  expect(page).toContain('BRIDGE_URL=http://localhost:3003 npm run example:idkit')
  expect(page).toContain(
    `<a href="http://localhost:8080/console#authorization=Bearer+${FACTS.apiKey}">http://localhost:8080/console</a>`,
  )
})

test('the start page returns 404 for a foreign host name', async () => {
  const { port } = new URL(platform.baseUrl)
  for (const host of [
    'attacker.example',
    `attacker.example:${port}`,
    `localhost.attacker.example:${port}`,
  ])
    expect(await statusFor(host)).toBe(404)
})

test.each(['localhost', '127.0.0.1', '[::1]'])(
  'the start page is served for the host name %s',
  async (name) => {
    const { port } = new URL(platform.baseUrl)
    expect(await statusFor(`${name}:${port}`)).toBe(200)
  },
)

test('production starts neither with START_PAGE_FILE nor with MAIL_PAGE_URL', () => {
  const mail = { MAIL_PAGE_URL: 'http://localhost:9' }
  const start = () => readConfig({ ...platform.env, ...mail, NODE_ENV: 'production' })
  expect(start).toThrow('START_PAGE_FILE must not be set in production')
  expect(start).toThrow('MAIL_PAGE_URL must not be set in production')
})

test.each([
  ['light', 1000],
  ['dark', 360],
] as const)(
  'the start page fits the window and has its links (%s scheme, %i px)',
  async (colorScheme, width) => {
    const browser = await startBrowser()
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${platform.baseUrl}/local`)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    for (const url of [`${FACTS.baseUrl}/docs`, `${FACTS.hasura.endpoint}/console`, FACTS.mailUrl])
      await page.getByRole('link', { name: url }).first().waitFor()
    expect(complaints).toEqual([])
    if (process.env.SHOT)
      await page.screenshot({ path: `${process.env.SHOT}-${colorScheme}.png`, fullPage: true })
    await browser.close()
  },
)

function statusFor(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${platform.baseUrl}/local`, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .once('error', reject)
      .end()
  })
}
