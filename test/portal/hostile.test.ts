import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { enterLogin } from '../support/portal/enter-login.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { resizeTo, WINDOWS } from '../support/portal/visits.ts'
import { PASSWORD } from '../support/webhooks/mailboxes.ts'
import type { Person } from '../support/webhooks/people.ts'

/** Changes the title if a page renders this text as HTML. */
const SCRIPT = `"><img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  ids = await fillTeam(scene, owner)
})

test('pages show texts of users literally, also texts with HTML and scripts', async () => {
  await owner.graphql(
    `mutation ($script: String!, $team: String!, $app: String!, $action: String!, $user: String!) {
      update_team_by_pk(pk_columns: { id: $team }, _set: { name: $script }) { id }
      update_app_by_pk(pk_columns: { id: $app }, _set: { name: $script }) { id }
      update_action_by_pk(pk_columns: { id: $action }, _set: { name: $script, description: $script }) { id }
      update_user_by_pk(pk_columns: { id: $user }, _set: { name: $script }) { id }
      create_api_key(team_id: $team, name: $script) { id }
    }`,
    { script: SCRIPT, team: ids.teamId, app: ids.appId, action: ids.actionId, user: owner.id },
  )
  const { page, complaints } = await scene.openBlankAs(owner.email)
  const paths = [
    PAGE_PATHS.team,
    PAGE_PATHS.members,
    PAGE_PATHS.keys,
    PAGE_PATHS.audit,
    PAGE_PATHS.actions,
    PAGE_PATHS.action,
    PAGE_PATHS.account,
  ]
  for (const path of paths) {
    await page.goto(scene.platform.baseUrl + generatePath(path, ids))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
    for (const window of WINDOWS) {
      await resizeTo(page, window)
      const visibleText = await page.evaluate(
        'document.body.innerText + [...document.querySelectorAll("input")].map(({ value }) => value)',
      )
      expect([path, visibleText]).toEqual([path, expect.stringContaining(SCRIPT)])
    }
    expect(await page.title()).not.toBe('hacked')
    expect(await page.locator('img[src=x]').count()).toBe(0)
  }
  // The browser has reported no violation of the Content-Security-Policy, so no page even tried to run a script.
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('logging in never redirects to another website, whatever next= is', async () => {
  const { page } = await scene.open(PAGE_PATHS.logIn)
  for (const next of [
    'https://attacker.example/',
    '//attacker.example',
    '/\\attacker.example',
    'javascript:document.title=1',
    'http:attacker.example',
    // The browser resolves the dots, and the path then begins with two slashes.
    '/.//attacker.example',
    '/x/..//attacker.example',
    '/%2e//attacker.example',
    '/.//\\attacker.example',
    `${scene.platform.baseUrl}//attacker.example`,
  ]) {
    await page.context().clearCookies()
    const query = new URLSearchParams({ next })
    await page.goto(`${scene.platform.baseUrl}${PAGE_PATHS.logIn}?${query}`)
    await enterLogin(page, owner.email)
    await page.waitForURL((url) => !url.pathname.startsWith('/log-in'))
    expect([next, new URL(page.url()).origin]).toEqual([next, scene.platform.baseUrl])
  }
  await scene.close(page)
})

test('logging in opens the page that the user requested', async () => {
  const { page } = await scene.open(generatePath(PAGE_PATHS.members, ids))
  await enterLogin(page, owner.email, 'wrong password')
  await page.getByText('The e-mail address or the password is wrong.').waitFor()
  // The typed values stay.
  expect(await page.getByLabel('E-mail address').inputValue()).toBe(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  await scene.close(page)
})

test('a page asks for the password after the login has ended, and keeps the typed text', async () => {
  const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.newApp, ids))
  await page.getByLabel('Name').fill('Half typed')
  await scene.platform.db.query('delete from login where user_id = $1', [owner.id])
  await page.getByRole('button', { name: 'Create the app' }).click()
  const dialog = page.getByRole('dialog', { name: 'You have been logged out' })
  await dialog.getByLabel(/^Password of/).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await page.getByLabel('Name').inputValue()).toBe('Half typed')
  await page.getByRole('button', { name: 'Create the app' }).click()
  await page.getByText('No action yet').waitFor()
  await scene.close(page)
})

test('a page retries a request that was rejected with 429', async () => {
  const { page } = await scene.openBlankAs(owner.email)
  const rejection = {
    errors: [{ message: 'too many requests', extensions: { code: 'rate-limit-exceeded' } }],
  }
  let rejections = 0
  await page.route('**/v1/graphql', (route) => {
    const isFirst = route.request().postData()?.includes('query People') && rejections++ === 0
    return isFirst ? route.fulfill({ status: 429, json: rejection }) : route.continue()
  })
  await page.goto(scene.platform.baseUrl + generatePath(PAGE_PATHS.action, ids))
  await page.locator('tbody code').waitFor()
  expect(rejections).toBeGreaterThan(1)
  await scene.close(page)
})

test('no script can read the login token from cookies, storage or the page', async () => {
  const { page } = await scene.open(PAGE_PATHS.logIn)
  await enterLogin(page, owner.email)
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
  const readable = await page.evaluate(
    'document.cookie + JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.documentElement.outerHTML',
  )
  const cookies = await page.context().cookies()
  const cookie = cookies.find(({ name }) => name === 'portal_session')
  expect(cookie).toMatchObject({ name: 'portal_session', httpOnly: true, sameSite: 'Strict' })
  expect(readable).not.toContain(cookie?.value)
  expect(readable).not.toContain('eyJ')
  await scene.close(page)
})

test('after a log-out, the back button shows the log-in page', async () => {
  const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.team, ids))
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(await page.context().cookies()).toEqual([])
  await scene.close(page)
})
