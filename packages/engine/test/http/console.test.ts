import { SignJWT } from 'jose'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBrowser } from '../../../../test/support/chromium.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine
/** A second engine on the same database, which accepts tokens. */
let jwtEngine: ServedEngine
let browser: Browser

const KEY = 'a key of these tests, long enough for it'
const CLAIMS = { 'x-hasura-default-role': 'visitor', 'x-hasura-allowed-roles': ['visitor'] }

beforeAll(async () => {
  db = await database()
  await db.query("create table city as select 1 as id, 'Lagos' as name")
  engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_ENABLE_CONSOLE: 'true' })
  const permission = { columns: ['name'], filter: {} }
  const city = table('city', { select_permissions: [{ role: 'visitor', permission }] })
  await engine.post('/v1/metadata', replace(metadata([city])))
  jwtEngine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: 'HS256', key: KEY }),
  })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  await jwtEngine.stop()
  await engine.stop()
  await db.drop()
})

test('the console is off by default', async () => {
  const plain = await serveEngineHere(db.url)
  expect((await fetch(`${plain.url}/console`)).status).toBe(404)
  await plain.stop()
})

test('an unknown path of the console gets 404', async () => {
  for (const path of ['/console/static/none.js', '/console/../../package.json', '/consoles'])
    expect((await fetch(engine.url + path)).status, path).toBe(404)
})

test('the console runs a query with the admin secret and sends no request to other hosts', async () => {
  const { page, outside, complaints } = await openConsole()
  await type(page, 'Headers', `{"x-hasura-admin-secret": "${ADMIN_SECRET}"}`)
  await type(page, 'Query', '{ city { id name } }')
  await page.getByRole('button', { name: /execute query/i }).click()
  await page.locator('.graphiql-response').getByText('"Lagos"').waitFor()
  expect({ outside, complaints }).toEqual({ outside: [], complaints: [] })
  await page.close()
})

test('the console loads the schema after the admin secret is entered', async () => {
  const { page } = await openConsole()
  await type(page, 'Headers', `{"x-hasura-admin-secret": "${ADMIN_SECRET}"}`)
  await page.locator(PANES.Query).filter({ visible: true }).first().click()
  await page.getByRole('button', { name: /show documentation explorer/i }).click()
  await page.getByText('query_root').first().waitFor()
  await page.close()
})

test('the console uses a bearer token and its permissions', async () => {
  const { page, complaints } = await openConsole(jwtEngine.url)
  const token = await new SignJWT({ 'https://hasura.io/jwt/claims': CLAIMS })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(KEY))
  await type(page, 'Headers', `{"authorization": "Bearer ${token}"}`)
  await type(page, 'Query', '{ city { name } }')
  await page.getByRole('button', { name: /execute query/i }).click()
  await page.locator('.graphiql-response').getByText('"Lagos"').waitFor()
  await type(page, 'Query', '{ city { id } }')
  await page.getByRole('button', { name: /execute query/i }).click()
  await page.locator('.graphiql-response').getByText("field 'id' not found").waitFor()
  expect(complaints).toEqual([])
  await page.close()
})

test("credentials in the URL's fragment are filled in and removed from the URL", async () => {
  const token = await new SignJWT({ 'https://hasura.io/jwt/claims': CLAIMS })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(KEY))
  const credentials = new URLSearchParams({ authorization: `Bearer ${token}` })
  const { page, outside, complaints } = await openConsole(jwtEngine.url, `#${credentials}`)
  expect(page.url()).toBe(`${jwtEngine.url}/console`)
  await page.getByRole('button', { name: /show documentation explorer/i }).click()
  await page.getByText('query_root').first().waitFor()
  await type(page, 'Query', '{ city { name } }')
  await page.getByRole('button', { name: /execute query/i }).click()
  await page.locator('.graphiql-response').getByText('"Lagos"').waitFor()
  expect({ outside, complaints }).toEqual({ outside: [], complaints: [] })
  await page.close()
})

test('a subscription in the console shows each new result', async () => {
  const { page, complaints } = await openConsole()
  await type(page, 'Headers', `{"x-hasura-admin-secret": "${ADMIN_SECRET}"}`)
  await type(page, 'Query', 'subscription { city { name } }')
  await page.getByRole('button', { name: /execute query/i }).click()
  const response = page.locator('.graphiql-response')
  await response.getByText('"Lagos"').waitFor()
  await db.query("update city set name = 'Lima'")
  await response.getByText('"Lima"').waitFor()
  expect(complaints).toEqual([])
  await page.close()
})

async function openConsole(at = engine.url, fragment = '') {
  const page = await browser.newPage()
  const outside: string[] = []
  const complaints: string[] = []
  const local = (url: string) => url.startsWith(at) || /^(data|blob):/.test(url)
  await page.route(
    (url) => !local(url.href),
    (route) => {
      outside.push(route.request().url())
      return route.abort()
    },
  )
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(`${at}/console${fragment}`)
  await page.locator('.graphiql-query-editor .monaco-editor').waitFor()
  return { page, outside, complaints }
}

const PANES = {
  Query: '.graphiql-query-editor .monaco-editor',
  Headers: '.graphiql-editor-tool .monaco-editor',
}

/** Replaces the text in a pane. */
async function type(page: Page, pane: keyof typeof PANES, text: string) {
  await page.locator(PANES[pane]).filter({ visible: true }).first().click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
  // The editor adds closing brackets automatically; these keys select and delete them.
  await page.keyboard.press('ControlOrMeta+Shift+End')
  await page.keyboard.press('Delete')
}
