import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { resizeTo, WINDOWS } from '../../support/portal/visits.ts'

const PAYER = `0x${'d'.repeat(40)}`
const HASH = `0x${'e'.repeat(64)}`

let scene: PortalScene
test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

async function openPayments(search = '') {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  await scene.platform.db.query(
    `insert into transaction (app_id, reference, chain, transaction_hash, token, token_amount, "to", "from", expected_from, transaction_status, failure_reason, created_at)
    select $1, 'late-' || n, 'local', '0x' || lpad(to_hex(n), 4, '0') || repeat('f', 60), 'USDCE', '12345' || n || '000000', '0x' || repeat('a', 40), $2, '0x' || repeat('b', 40), 'failed', 'wrong_sender', now() + interval '1 millisecond' * n
    from generate_series(1, 60) as n`,
    [ids.appId, PAYER],
  )
  const path = `${generatePath(PAGE_PATHS.payments, ids)}${search}`
  return { owner, ids, ...(await scene.openAs(owner.email, path)) }
}

const rowOf = (page: Page, reference: string) =>
  page.getByRole('row').filter({ has: page.getByText(reference, { exact: true }) })

test('the table of payments shows payer, receiver and reason, aligns amounts, and cuts hashes but copies all of them', async () => {
  const { page, complaints } = await openPayments()
  const row = rowOf(page, 'late-60')
  await row.getByText('The payment came from an unexpected wallet.').waitFor()
  expect(await row.textContent()).toContain('0xdddddd…dddddd')
  expect(await row.textContent()).toContain('Expected payer')
  expect(await row.textContent()).toContain('0xbbbbbb…bbbbbb')
  expect(await row.textContent()).toContain('0xaaaaaa…aaaaaa')
  expect((await row.boundingBox())?.height).toBeLessThan(170)
  await row.getByText('1234560 USDCE').waitFor()
  const alignment = "getComputedStyle(document.querySelector('tbody td:nth-child(2)')).textAlign"
  expect(await page.evaluate(alignment)).toBe('right')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await row.getByRole('button', { name: 'Copy transaction hash of late-60' }).click()
  await row.getByRole('button', { name: 'Copied transaction hash of late-60' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`0x003c${'f'.repeat(60)}`)
  expect(await accessFaults(page)).toEqual([])
  for (const window of WINDOWS) {
    await resizeTo(page, window)
    await expect.poll(() => fitsWidth(page)).toBe(true)
  }
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('the filter by status and the search by a prefix are in the address, and survive a reload and the back button', async () => {
  const { page } = await openPayments()
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Paid' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?status=mined')
  await page.reload()
  await rowOf(page, 'order-2').waitFor()
  expect(await rows.count()).toBe(1)
  await page.goBack()
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByLabel('Search').fill('LATE-5')
  await expect.poll(() => rows.count()).toBe(11)
  expect(new URL(page.url()).search).toBe('?search=LATE-5')
  await page.getByLabel('Search').fill('0x001')
  await expect.poll(() => rows.count()).toBe(16)
  await page.getByLabel('Search').fill('%')
  await page.getByRole('heading', { name: 'No payment matches' }).waitFor()
  await page.goto(`${page.url().split('?')[0]}?status=lost&search=order-3`)
  await rowOf(page, 'order-3').waitFor()
  expect(await rows.count()).toBe(1)
  await scene.close(page)
})

test('the form offers only the tokens that the platform knows on the chain', async () => {
  const { email, path } = await signUpOwner(scene)
  const { page } = await scene.openAs(email, `${path}/payments`)
  await page.getByRole('button', { name: 'Enter a payment' }).click()
  const dialog = page.getByRole('dialog')
  const token = dialog.getByRole('combobox', { name: 'Token' })
  await token.click()
  expect(await page.getByRole('option').allTextContents()).toEqual(['USDCE', 'WLD'])
  await token.fill('DOGE')
  await page.getByText('This platform does not know this token here.').waitFor()
  await scene.close(page)
})

test('a pending payment can be corrected and removed, and then its reference is free again', async () => {
  const { page, owner, ids } = await openPayments('?status=pending')
  const { rows } = await scene.platform.db.query(
    `insert into transaction (app_id, reference, chain, transaction_hash, token, token_amount, "to")
    values ($1, 'wrong', 'local', $2, 'USDCE', '1000000', $3) returning id`,
    [ids.appId, HASH, PAYER],
  )
  await page.reload()
  await rowOf(page, 'wrong').getByRole('button', { name: 'Correct wrong' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reference').fill('order-1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('already has a payment with this reference').waitFor()
  await dialog.getByLabel('Reference').fill('right')
  await dialog.getByLabel('Amount').fill('2.5')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await rowOf(page, 'right').getByText('2.5 USDCE').waitFor()
  expect(await changesOf(rows[0].id)).toEqual([
    {
      operation: 'update',
      actor_id: owner.id,
      changes: {
        reference: { old: 'wrong', new: 'right' },
        token_amount: { old: '1000000', new: '2500000' },
      },
    },
  ])
  await rowOf(page, 'right').getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await rowOf(page, 'right').waitFor({ state: 'detached' })
  expect(await changesOf(rows[0].id)).toHaveLength(2)
  await scene.close(page)
})

test('a payment that was mined while its dialog was open stays, and the user learns why', async () => {
  const { page, ids } = await openPayments('?status=pending')
  await rowOf(page, 'order-1').getByRole('button', { name: 'Remove' }).click()
  await scene.platform.db.query(
    "update transaction set transaction_status = 'mined' where app_id = $1 and reference = 'order-1'",
    [ids.appId],
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('A block contains this payment by now').waitFor()
  await scene.close(page)
})

async function changesOf(id: string) {
  const { rows } = await scene.platform.db.query(
    'select operation, actor_id, changes from audit where subject_id = $1 order by created_at, id',
    [id],
  )
  return rows
}
