import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import {
  actionsRequest,
  paymentsRequest,
  peopleRequest,
  signInRequest,
  teamRequest,
} from '../../../portal/team/api-requests.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { WINDOWS } from '../../support/portal/visits.ts'

/** Faults of GraphiQL: its tabs contain buttons, and the keyboard reaches its editors through their text fields. */
const FAULTS_OF_GRAPHIQL = /(nested-interactive|scrollable-region-focusable)/

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

/** Opens a page as the owner. GraphiQL is large, so a busy machine needs long to start it. */
async function openAs(...visit: Parameters<PortalScene['openAs']>) {
  const opened = await scene.openAs(...visit)
  opened.page.context().setDefaultTimeout(100_000)
  return opened
}

describe.each(WINDOWS)('the page "GraphQL" ($width px, $colorScheme)', (window) => {
  test('a request runs with the rights of the user, and the page reads the schema', async () => {
    const owner = await signUpOwner(scene)
    const stranger = await signUpOwner(scene)
    await scene.verifyPerson(owner.app, 'vote')
    const { page, complaints } = await openAs(owner.email, `/teams/${owner.team}/graphql`, window)
    const result = page.getByRole('region', { name: 'Result Window' })
    await runRequest(page)
    await result.getByText(`"${owner.app}"`).waitFor()
    await result.getByText('"vote"').waitFor()
    expect((await accessFaults(page)).filter((fault) => !FAULTS_OF_GRAPHIQL.test(fault))).toEqual(
      [],
    )
    expect(await fitsWidth(page)).toBe(true)

    const foreign = new URLSearchParams({ query: teamRequest(stranger.team) })
    await page.goto(`${scene.platform.baseUrl}/teams/${owner.team}/graphql?${foreign}`)
    await runRequest(page)
    await result.getByText('null').waitFor()

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByText('Root Types').waitFor()
    expect(complaints).toEqual([])
    await scene.close(page)
  })
})

test('GraphiQL stores no request in the browser, and begins with the request of the team again', async () => {
  const owner = await signUpOwner(scene)
  const { page } = await openAs(owner.email, `/teams/${owner.team}/graphql`)
  for (const _visit of [1, 2]) {
    await runRequest(page)
    await page.getByText(`"${owner.app}"`).first().waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    await page.getByRole('link', { name: 'GraphQL' }).click()
  }
  await editorHasText(page)
  for (const storage of ['localStorage', 'sessionStorage'])
    expect(await page.evaluate(`JSON.stringify(${storage})`)).not.toContain(owner.app)
  await scene.close(page)
})

test('the page "GraphQL" asks for the password if the session has ended', async () => {
  const owner = await signUpOwner(scene)
  const { page } = await openAs(owner.email, `/teams/${owner.team}/graphql`)
  await editorHasText(page)
  await page.context().clearCookies()
  await runRequest(page)
  await page.getByRole('dialog', { name: 'You have been logged out' }).waitFor()
  await scene.close(page)
})

test('each request of a panel "Use the API" returns rows to an API key and to an owner, without errors', async () => {
  const owner = await scene.createUser()
  const { data: key } = await owner.graphql(
    `mutation { create_api_key(team_id: "${owner.team}", name: "Key") { api_key } }`,
  )
  const app = await scene.platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
  const action = await scene.platform.action(app)
  const headers = { authorization: `Bearer ${key.create_api_key.api_key}` }
  for (const query of [
    teamRequest(owner.team),
    actionsRequest(app),
    peopleRequest(action),
    signInRequest(app),
    paymentsRequest(app),
  ]) {
    const answer = await scene.platform.post('/v1/graphql', { query }, headers)
    expect(answer.body).toEqual({ data: expect.any(Object) })
    expect(answer.body).toEqual(await owner.graphql(query))
  }
})

describe.each(WINDOWS)('the panel "Use the API" ($width px, $colorScheme)', (window) => {
  test('the pages of keys, actions, sign-in and payments have the panel with their ids', async () => {
    const { email, team, path, app, action } = await signUpOwner(scene)
    const { page, complaints } = await openAs(email, '/', window)
    for (const [address, id] of [
      [`/teams/${team}/keys`, team],
      [`${path}/actions`, app],
      [`${path}/actions/${action}`, action],
      [`${path}/sign-in`, app],
      [`${path}/payments`, app],
    ] as const) {
      await page.goto(scene.platform.baseUrl + address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (address.endsWith(action)) await page.getByRole('tab', { name: 'Code' }).click()
      const button = page.getByRole('button', { name: 'Use the API' })
      if ((await button.getAttribute('aria-expanded')) === 'false') await button.click()
      const request = await page.getByLabel('GraphQL request').textContent()
      expect(request).toContain(`"${id}"`)
      await page.getByText(`${scene.platform.baseUrl}/v1/graphql`, { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Copy address of the API' }).waitFor()
      expect(await page.getByRole('link', { name: 'API reference' }).getAttribute('href')).toBe(
        '/docs',
      )
      // Other tests inspect the pages. The panel is the same on all of them.
      if (id === team) expect(await accessFaults(page)).toEqual([])
      expect(await fitsWidth(page)).toBe(true)
    }
    await page.getByRole('link', { name: 'Run this request' }).click()
    await runRequest(page)
    await page.getByRole('region', { name: 'Result Window' }).getByText('"transaction"').waitFor()
    expect(complaints).toEqual([])
    await scene.close(page)
  })
})

/** Waits for the editor, which is ready a moment after its buttons, and presses the button that sends the request. */
async function runRequest(page: Page) {
  await editorHasText(page)
  await page.getByRole('button', { name: /^Execute query/ }).click()
}

function editorHasText(page: Page) {
  return page.getByRole('region', { name: 'Query Editor' }).getByText('query').first().waitFor()
}
