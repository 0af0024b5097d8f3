import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import type { Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import { chooseLimit } from '../../support/portal/choose-limit.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { type Visit, WINDOWS } from '../../support/portal/visits.ts'

let scene: PortalScene

test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

describe.each(WINDOWS)('an app as a relying party ($width px, $colorScheme)', (window) => {
  test('an owner creates and rotates the request signing key, and each private key is shown once', async () => {
    const owner = await signUpOwner(scene)
    const { page, complaints } = await scene.openAs(owner.email, owner.path, window)
    await page.getByText(rpIdOfApp(owner.app)).waitFor()
    await page.getByText('This app has no key yet.').waitFor()
    await expectNoFaults({ page, complaints })

    await page.getByRole('button', { name: 'Create key' }).click()
    const firstKey = await readPrivateKey({ page, complaints })
    await page.getByText(addressOf(firstKey)).waitFor()
    expect(await page.getByText(firstKey).count()).toBe(0)
    await expectNoFaults({ page, complaints })

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByText('The current key stops working at once.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click()
    const secondKey = await readPrivateKey({ page, complaints })
    await page.getByText(addressOf(secondKey)).waitFor()
    expect(await page.getByText(addressOf(firstKey)).count()).toBe(0)
    expect(await activeAddresses(owner.app)).toEqual([addressOf(secondKey)])
    await scene.close(page)
  })

  test('an owner lets valid proofs create unknown actions', async () => {
    const owner = await signUpOwner(scene)
    const { page, complaints } = await scene.openAs(owner.email, owner.path, window)
    const createsActions = page.getByLabel('Create unknown actions at their first valid proof')
    expect(await createsActions.isChecked()).toBe(false)
    await createsActions.check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('App changed.').waitFor()
    await page.reload()
    await expect.poll(() => createsActions.isChecked()).toBe(true)
    expect(complaints).toEqual([])
    await scene.close(page)
  })

  test('an owner creates an action of both protocols, reads the warning, and allows a repeat only with a limit of 1', async () => {
    const owner = await signUpOwner(scene)
    const visit = await scene.openAs(owner.email, `${owner.path}/actions`, window)
    const { page } = visit
    await page.getByRole('button', { name: 'Create an action' }).click()
    await page.getByRole('dialog').getByLabel('Identifier').fill('claim')
    const repeat = page.getByLabel('Repeat allowed')
    expect(await repeat.count()).toBe(0)
    await chooseProtocol(page, '3.0 and 4.0')
    await page.getByText('One person can be counted twice').waitFor()
    await repeat.check()
    await page.getByLabel('Proof of human').uncheck()
    await page.getByRole('button', { name: 'Create the action' }).click()
    await page.getByText('Choose at least one credential.').waitFor()
    await page.getByLabel('Proof of human').check()
    await page.getByLabel('Passport').check()
    await expectNoFaults(visit)
    await page.getByRole('button', { name: 'Create the action' }).click()
    await page.getByText('claim · each person once').waitFor()
    expect(await storedAction(owner.app, 'claim')).toEqual({
      protocol: 'both',
      allows_repeat: true,
      credentials: ['proof_of_human', 'passport'],
    })

    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await repeat.isChecked()).toBe(true)
    await chooseLimit(page, 'Twice')
    await expect.poll(() => repeat.count()).toBe(0)
    await chooseProtocol(page, '4.0')
    await expect.poll(() => page.getByText('One person can be counted twice').count()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('claim · each person twice').waitFor()
    expect(await storedAction(owner.app, 'claim')).toEqual({
      protocol: '4.0',
      allows_repeat: false,
      credentials: ['proof_of_human', 'passport'],
    })
    await expectNoFaults(visit)
    await scene.close(page)
  })
})

test('a member sees the rp id and the address of the key, and no button to change the key', async () => {
  const owner = await scene.createUser()
  const member = await scene.createUser()
  await scene.platform.db.query(
    `insert into membership (team_id, user_id, role) values ($1, $2, 'MEMBER')`,
    [owner.team, member.id],
  )
  const app = await scene.platform.app({ team: { id: owner.team, apiKey: '', keyId: '' } })
  const { data } = await owner.graphql(
    `mutation { create_request_key(app_id: "${app}") { address } }`,
  )
  const path = generatePath(PAGE_PATHS.app, { teamId: owner.team, appId: app })
  const { page, complaints } = await scene.openAs(member.email, path)
  await page.getByText(rpIdOfApp(app)).waitFor()
  await page.getByText(data.create_request_key.address).waitFor()
  expect(await page.getByRole('button', { name: 'Rotate key' }).count()).toBe(0)
  expect(complaints).toEqual([])
  await scene.close(page)
})

/** Reads the private key in the dialog, and closes the dialog. */
async function readPrivateKey(visit: Visit): Promise<string> {
  const { page } = visit
  const dialog = page.getByRole('dialog', { name: 'Your new request signing key' })
  const alert = dialog.getByRole('status').filter({ hasText: 'Copy the private key now' })
  const privateKey = (await alert.locator('code').textContent()) ?? ''
  await expectNoFaults(visit)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  return privateKey
}

function addressOf(privateKey: string): string {
  const hex: Hex = `0x${privateKey.replace('0x', '')}`
  return privateKeyToAddress(hex).toLowerCase()
}

async function activeAddresses(appId: string): Promise<string[]> {
  const { rows } = await scene.platform.db.query<{ address: string }>(
    'select address from request_key where app_id = $1 and is_active',
    [appId],
  )
  return rows.map(({ address }) => address)
}

async function chooseProtocol(page: Page, label: string) {
  await page.getByRole('combobox', { name: 'Protocol' }).click()
  await page.getByRole('option', { name: label, exact: true }).click()
}

async function storedAction(appId: string, action: string) {
  const { rows } = await scene.platform.db.query(
    'select protocol, allows_repeat, credentials from action where app_id = $1 and action = $2',
    [appId, action],
  )
  return rows[0]
}

async function expectNoFaults({ page, complaints }: Visit) {
  expect(await accessFaults(page)).toEqual([])
  expect(await fitsWidth(page)).toBe(true)
  expect(complaints).toEqual([])
}
