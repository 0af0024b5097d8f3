import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import * as ways from '../../webhooks/pages/portal-links.ts'
import { startPages } from '../support/pages/start-pages.ts'
import { press } from '../support/webhooks/mailboxes.ts'
import { peopleOf } from '../support/webhooks/people.ts'

// No page is a dead end: it leads on to the portal, or says what to do.

type Instance = Awaited<ReturnType<typeof pages.platform.anotherInstance>>

let pages: Awaited<ReturnType<typeof startPages>>
let withoutPortal: Instance
let withoutHasura: Instance

beforeAll(async () => {
  pages = await startPages()
  withoutPortal = await pages.platform.anotherInstance({ PORTAL_FOLDER: '' })
  withoutHasura = await pages.platform.anotherInstance({
    HASURA_GRAPHQL_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  })
})
afterAll(async () => {
  await withoutPortal.stop()
  await withoutHasura.stop()
  await pages.stop()
})

/** As Chromium sends it. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('a path that does not exist', () => {
  const servers = () => [pages.platform.baseUrl, pages.authUrl]

  test('is told to a browser on a page with the id of the request', async () => {
    for (const server of servers()) {
      const { status, type, id, text } = await ask(`${server}/nowhere`, { accept: BROWSER })
      expect([status, type]).toEqual([404, 'text/html; charset=utf-8'])
      expect(text).toContain('This page does not exist')
      expect(text).toContain(`Request id: ${id}`)
    }
  })

  test.each(['*/*', 'application/json', 'application/json, text/html', 'image/png'])(
    'is told in JSON to who accepts %s',
    async (accept) => {
      for (const server of servers()) {
        const { status, type, text } = await ask(`${server}/nowhere`, { accept })
        expect([status, type]).toEqual([404, 'application/json; charset=utf-8'])
        expect(JSON.parse(text)).toMatchObject({ code: 'not_found' })
      }
    },
  )

  test('leads to the portal, where there is one', async () => {
    const { text } = await ask(`${pages.platform.baseUrl}/nowhere`, { accept: BROWSER })
    expect(linksOf(text)).toEqual(['/', '/'])
    const alone = await ask(`${withoutPortal.baseUrl}/nowhere`, { accept: BROWSER })
    expect(alone.text).toContain('This page does not exist')
    expect(linksOf(alone.text)).toEqual([])
  })
})

test('an operation answers a browser as its description says', async () => {
  const { baseUrl } = pages.platform
  const { type } = await ask(`${baseUrl}/api/v1/precheck/app_none`, { accept: BROWSER })
  expect(type).toBe('application/json; charset=utf-8')
})

test('a failure of ours is told with the id of the request', async () => {
  const url = `${withoutHasura.baseUrl}/api/v1/verify-email?token=${'x'.repeat(43)}`
  const { status, id, text } = await ask(url, { accept: BROWSER })
  expect(status).toBe(503)
  expect(text).toContain('Your link still works')
  expect(text).toContain(`Request id: ${id}`)
})

test.each([
  ['verify-email', '/'],
  ['reset-password', '/forgot-password'],
  ['change-email', '/account'],
  ['accept-invite', '/'],
])('a link that is over leads to where the next one is asked for: %s', async (kind, way) => {
  const path = `/api/v1/${kind}?token=${'x'.repeat(43)}`
  const { text } = await ask(pages.platform.baseUrl + path, {})
  expect(linksOf(text)).toEqual(['/', way])
  expect(linksOf((await ask(withoutPortal.baseUrl + path, {})).text)).toEqual([])
})

test('whoever has chosen another password goes on to the portal', async () => {
  const { email } = await peopleOf(pages.platform)()
  await pages.platform.post('/api/v1/forgot-password', { email })
  const readLink = async () => {
    const { text } = await ask(pages.mail.pageUrl, {})
    return /http[^"]*reset-password\?token=[\w-]{43}/.exec(text)?.[0] ?? ''
  }
  await expect.poll(readLink, { timeout: 20_000 }).not.toBe('')
  const { text } = await press(await readLink(), { new_password: 'another-one' })
  expect(text).toContain('Your password has changed')
  expect(linksOf(text)).toEqual(['/', '/'])
})

test('every way leads to a page of the portal', () => {
  const known: string[] = Object.values(PAGE_PATHS)
  const paths = Object.values(ways).flatMap((way) => ('path' in way ? [way.path] : []))
  expect(paths.length).toBeGreaterThan(3)
  expect(paths.filter((path) => !known.includes(path))).toEqual([])
})

async function ask(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    id: response.headers.get('x-request-id'),
    text: await response.text(),
  }
}

/** Where the links of a page lead; the first is the logo's. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href)
}
