import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessFaults } from '../support/portal/access-faults.ts'
import { type AppOwner, signUpOwner } from '../support/portal/app-owner.ts'
import { followLink } from '../support/portal/follow-link.ts'
import { fitsWidth, type PortalScene, ROOT } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'

let scene: PortalScene
let owner: AppOwner

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await signUpOwner(scene)
})

test.each(WINDOWS)(
  'the proof debugger shows each check and counts no person ($width px, $colorScheme)',
  async (window) => {
    const { page, complaints } = await scene.openAs(owner.email, owner.path, window)
    await followLink(page, 'Proof debugger')
    await page.getByRole('heading', { name: 'Proof debugger' }).waitFor()
    await chooseAction(page)
    const request = await proof()
    await check(page, JSON.stringify(request))
    await page.getByText('Nothing is wrong with this proof').waitFor()
    expect(await outcomes(page)).toEqual([
      ...['Yes', 'Yes', 'Yes', 'Yes', 'Yes', 'Not checked', 'Not checked', 'Yes', 'Yes', 'Yes'],
    ])
    await expectNoFaults(page, complaints)

    await check(page, JSON.stringify({ ...request, merkle_root: '0x1', max_age: 'a day' }, null, 2))
    await page.getByText('3 checks fail').waitFor()
    await page.getByText('max_age: Must be a number.').waitFor()
    await page.getByText('No group that proves this level has this Merkle root.').waitFor()
    await page.getByText('The proof is not valid for these values.').waitFor()
    await expectNoFaults(page, complaints)

    const { rows } = await scene.platform.db.query('select from nullifier where action_id = $1', [
      owner.action,
    ])
    expect(rows).toEqual([])
    await scene.close(page)
  },
)

test('the proof debugger reports invalid JSON at the field and keeps the typed text', async () => {
  const { page, complaints } = await scene.openAs(owner.email, `${owner.path}/debug-proof`)
  await check(page, '{"proof": ')
  await page.getByText('Enter the action of this proof.').waitFor()
  await page.getByText('This is not JSON. Paste the whole object, with its braces.').waitFor()
  expect(await page.getByLabel('Proof', { exact: true }).inputValue()).toBe('{"proof": ')
  await check(page, '[]')
  await page.getByText('This is not a JSON object. Paste an object in braces.').waitFor()
  await expectNoFaults(page, complaints)
  await scene.close(page)
})

test('a session proof needs no action, and other proofs do', async () => {
  const { page, complaints } = await scene.openAs(owner.email, `${owner.path}/debug-proof`)
  const result = { protocol_version: '4.0', nonce: '0x01', responses: [] }
  await check(page, JSON.stringify(result))
  await page.getByText('Enter the action of this proof.').waitFor()
  await check(page, JSON.stringify({ ...result, session_id: 'session_1' }))
  await page.getByText('A session proof has no action.').waitFor()
  await page.getByText('The relying party has an OPRF key').waitFor()
  await page.getByText('responses: Must have at least 1 entries.').waitFor()
  await expectNoFaults(page, complaints)
  await scene.close(page)
})

async function chooseAction(page: Page) {
  await page.getByRole('combobox', { name: 'Action' }).fill('vo')
  await page.getByRole('option', { name: 'vote' }).click()
}

async function check(page: Page, pasted: string) {
  await page.getByLabel('Proof', { exact: true }).fill(pasted)
  await page.getByRole('button', { name: 'Check the proof' }).click()
}

async function outcomes(page: Page) {
  const icons = page.getByRole('region', { name: 'Checks' }).getByRole('img')
  return Promise.all((await icons.all()).map((icon) => icon.getAttribute('aria-label')))
}

async function expectNoFaults(page: Page, complaints: string[]) {
  expect(await accessFaults(page)).toEqual([])
  expect(await fitsWidth(page)).toBe(true)
  expect(complaints).toEqual([])
}

async function proof() {
  return forgeRequest({ app: owner.app, action: 'vote', root: ROOT, nullifier: 77n })
}
