import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import * as portalLinks from '../../webhooks/pages/portal-links.ts'
import { startPages } from '../support/pages/start-pages.ts'
import { press } from '../support/webhooks/mailboxes.ts'
import { peopleOf } from '../support/webhooks/people.ts'

// No page is a dead end: each page links to the portal or says what to do.

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

/** The `accept` header of Chromium. */
const BROWSER_ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('an unknown path gets 404 as a page or as JSON', () => {
  const servers = () => [pages.platform.baseUrl, pages.authUrl]

  test('a browser gets a 404 page with the request id for an unknown path', async () => {
    for (const server of servers()) {
      const { status, type, id, text } = await ask(`${server}/nowhere`, { accept: BROWSER_ACCEPT })
      expect([status, type]).toEqual([404, 'text/html; charset=utf-8'])
      expect(text).toContain('This page does not exist')
      expect(text).toContain(`Request id: ${id}`)
    }
  })

  test.each(['*/*', 'application/json', 'application/json, text/html', 'image/png'])(
    'a client that accepts %s gets 404 as JSON for an unknown path',
    async (accept) => {
      for (const server of servers()) {
        const { status, type, text } = await ask(`${server}/nowhere`, { accept })
        expect([status, type]).toEqual([404, 'application/json; charset=utf-8'])
        expect(JSON.parse(text)).toMatchObject({ code: 'not_found' })
      }
    },
  )

  test('the 404 page links to the portal if the platform has a portal', async () => {
    const { text } = await ask(`${pages.platform.baseUrl}/nowhere`, { accept: BROWSER_ACCEPT })
    expect(linksOf(text)).toEqual(['/', '/'])
    const page = await ask(`${withoutPortal.baseUrl}/nowhere`, { accept: BROWSER_ACCEPT })
    expect(page.text).toContain('This page does not exist')
    expect(linksOf(page.text)).toEqual([])
  })
})

test('a browser that calls an operation of the API gets JSON', async () => {
  const { baseUrl } = pages.platform
  const { type } = await ask(`${baseUrl}/api/v1/precheck/app_none`, { accept: BROWSER_ACCEPT })
  expect(type).toBe('application/json; charset=utf-8')
})

test('the page of a 503 says that the link still works, and shows the request id', async () => {
  const url = `${withoutHasura.baseUrl}/api/v1/verify-email?token=${'x'.repeat(43)}`
  const { status, id, text } = await ask(url, { accept: BROWSER_ACCEPT })
  expect(status).toBe(503)
  expect(text).toContain('Your link still works')
  expect(text).toContain(`Request id: ${id}`)
})

test.each([
  ['verify-email', '/'],
  ['reset-password', '/forgot-password'],
  ['change-email', '/account'],
  ['accept-invite', '/'],
])('the page of an expired %s link leads to the portal page %s', async (kind, portalPath) => {
  const path = `/api/v1/${kind}?token=${'x'.repeat(43)}`
  const { text } = await ask(pages.platform.baseUrl + path, {})
  expect(linksOf(text)).toEqual(['/', portalPath])
  expect(linksOf((await ask(withoutPortal.baseUrl + path, {})).text)).toEqual([])
})

test('the page after a password reset links to the portal', async () => {
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

test('every link to the portal leads to an existing page', () => {
  const pagePaths: string[] = Object.values(PAGE_PATHS)
  const paths = Object.values(portalLinks).flatMap((link) => ('path' in link ? [link.path] : []))
  expect(paths.length).toBeGreaterThan(3)
  expect(paths.filter((path) => !pagePaths.includes(path))).toEqual([])
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

/** Returns the targets of a page's links. The first link is the logo. */
function linksOf(html: string): string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href)
}
