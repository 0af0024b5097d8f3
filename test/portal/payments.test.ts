import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { describe, expect } from 'vitest'
import { parseAmount, writeAmount } from '../../portal/pages/payments/amount.ts'
import { explorerLink } from '../../portal/pages/payments/explorers.ts'
import { failureInWords } from '../../portal/pages/payments/failure-in-words.ts'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { accessFaults } from '../support/portal/access-faults.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import type { Person } from '../support/webhooks/people.ts'

const HASH = `0x${'b'.repeat(64)}`
const OTHER_HASH = `0x${'d'.repeat(64)}`
const SHOP = `0x${'c'.repeat(40)}`

describe('parseAmount and writeAmount convert amounts exactly', () => {
  test.each([
    ['1', '1000000'],
    ['1.5', '1500000'],
    ['0.000001', '1'],
    ['007.10', '7100000'],
    [' 2.5000000000 ', '2500000'],
    ['9007199254740993.000001', '9007199254740993000001'],
    ['9'.repeat(66), `${'9'.repeat(66)}000000`],
  ])('parseAmount converts %s to the token_amount %s', (text, tokenAmount) => {
    expect(parseAmount(text)).toBe(tokenAmount)
    expect(parseAmount(writeAmount(tokenAmount))).toBe(tokenAmount)
  })

  test.each(['', '0', '0.000000', '0.0000001', '1,5', '-1', '+1', '1e3', '.5', '1.', '1 000', '٣'])(
    'parseAmount rejects %j',
    (text) => expect(parseAmount(text)).toBeNull(),
  )

  test('parseAmount accepts 72 digits, as many as the database holds, and rejects 73', () => {
    expect(parseAmount(`1${'0'.repeat(65)}`)).toHaveLength(72)
    expect(parseAmount(`1${'0'.repeat(66)}`)).toBeNull()
  })

  test.each([
    ['1', '0.000001'],
    ['1000000', '1'],
    ['1500000', '1.5'],
    ['9007199254740993000001', '9007199254740993.000001'],
  ])('writeAmount writes the token_amount %s as %s', (tokenAmount, text) => {
    expect(writeAmount(tokenAmount)).toBe(text)
  })
})

test.each([
  ['worldchain', `https://worldscan.org/tx/${HASH}`],
  ['local', null],
  ['constructor', null],
])('explorerLink of the chain %s returns %s', (chain, link) =>
  expect(explorerLink(chain, HASH)).toBe(link),
)

test('failureInWords has a sentence for each documented reason and returns unknown reasons unchanged', () => {
  const table = readFileSync('docs/payments.md', 'utf8').split('| reason ')[1]?.split('\n\n')[0]
  const reasons = [...(table ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, reason = '']) => reason)
  expect(reasons).toContain('wrong_sender')
  for (const reason of reasons) expect(failureInWords(reason)).toMatch(/^[A-Z][^_]*\.$/)
  expect(['constructor', 'new_one'].map(failureInWords)).toEqual(['constructor', 'new_one'])
})

describe('the payments page shows and enters payments', () => {
  let scene: PortalScene
  let owner: Person
  let ids: Awaited<ReturnType<typeof fillTeam>>

  test.beforeAll(async ({ scene: sharedScene }) => {
    scene = sharedScene
    owner = await scene.createUser()
    ids = await fillTeam(scene, owner)
  })

  test('the payments page shows amounts, reasons of failure, and links to public explorers', async () => {
    const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.payments, ids))
    await page.getByText('0.001 USDCE').first().waitFor()
    const failed = page.getByRole('row').filter({ hasText: 'order-3' })
    await failed.getByText('The transaction failed on the chain.').waitFor()
    const link = page.getByRole('link', { name: 'order-1 on the explorer of worldchain' })
    expect(await link.getAttribute('href')).toBe(
      `https://worldscan.org/tx/0x${'1'.padStart(64, '0')}`,
    )
    await scene.close(page)
  })

  test.each(WINDOWS)(
    'the payments page enters a payment, and shows an error at each wrong field ($width px)',
    async (window) => {
      const payer = await scene.createUser()
      const path = generatePath(PAGE_PATHS.payments, await fillTeam(scene, payer))
      const { page, complaints } = await scene.openAs(payer.email, path, window)
      const dialog = page.getByRole('dialog')
      const enter = async (fields: Readonly<Record<string, string>>) => {
        for (const [label, value] of Object.entries(fields))
          await dialog.getByLabel(label).fill(value)
        await dialog.getByRole('button', { name: 'Enter the payment' }).click()
      }
      await page.getByRole('button', { name: 'Enter a payment' }).click()
      // The platform follows one chain, so the form preselects it.
      await expect
        .poll(() => dialog.getByRole('combobox', { name: 'Chain' }).inputValue())
        .toBe('local')
      await enter({ Reference: 'order-3', Amount: '1,5' })
      await dialog.getByText('Enter a number above zero').waitFor()
      await dialog.getByText('Enter an address').waitFor()
      await chooseToken(page)
      const otherFields = {
        Amount: '1.25',
        Receiver: SHOP,
        'Transaction hash': HASH,
      }
      await enter(otherFields)
      await dialog.getByText('already has a payment with this reference').waitFor()
      await enter({ Reference: 'order-4' })
      await dialog.waitFor({ state: 'hidden' })
      const row = page.getByRole('row').filter({ hasText: 'order-4' })
      await row.getByText('1.25 USDCE').waitFor()
      await row.getByText('Pending').waitFor()
      // The local chain has no explorer.
      expect(await row.getByRole('link').count()).toBe(0)

      await page.getByRole('button', { name: 'Enter a payment' }).click()
      await chooseToken(page)
      await enter({ ...otherFields, Reference: 'order-5' })
      await dialog.getByText('already uses this transaction for another reference').waitFor()
      // The browser reports a response with status 400 as an error.
      expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
      await scene.close(page)

      const { rows } = await scene.platform.db.query(
        `select token_amount, token, payee from transaction
      where reference = 'order-4' and app_id in (select id from app where team_id = $1)`,
        [payer.team],
      )
      expect(rows).toEqual([{ token_amount: '1250000', token: 'USDCE', payee: SHOP }])
    },
  )

  test('the payment form offers the chains of the platform, and reports a chain that the platform no longer follows', async () => {
    const { query } = scene.platform.db
    await query(`select announce_chains('a test', '{"atlantis": ["USDCE"], "local": ["GOLD"]}')`)
    const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.payments, ids))
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Enter a payment' }).click()
    await dialog.getByRole('combobox', { name: 'Chain' }).click()
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['atlantis', 'local'])
    await page.getByRole('option', { name: 'atlantis' }).click()
    await query(`select announce_chains('a test', '{}')`)
    await chooseToken(page)
    await fillIn(dialog, { Reference: 'order-6', 'Transaction hash': OTHER_HASH })
    await dialog.getByText('does not read payments from this chain').waitFor()
    await scene.close(page)
  })

  test('the payment form accepts an expected payer and an earliest time, and shows their errors', async () => {
    const { page } = await scene.openAs(owner.email, generatePath(PAGE_PATHS.payments, ids))
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Enter a payment' }).click()
    expect(await dialog.getByLabel('Expected payer').isVisible()).toBe(false)
    await dialog.getByRole('button', { name: 'More options' }).click()
    await dialog.getByLabel('Expected payer').fill('0xadd')
    await dialog.getByLabel('Not before').fill('1969-12-31T00:00')
    await dialog.getByRole('button', { name: 'More options' }).click()
    await chooseToken(page)
    await fillIn(dialog, { Reference: 'order-7', 'Transaction hash': OTHER_HASH })
    await dialog.getByText('Enter an address').waitFor()
    await dialog.getByText('Enter a time between 1970 and 9999.').waitFor()
    expect(await accessFaults(page)).toEqual([])
    await dialog.getByLabel('Not before').fill('2026-01-31T12:30')
    await fillIn(dialog, { 'Expected payer': SHOP.toUpperCase().replace('X', 'x') })
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('row').filter({ hasText: 'order-7' }).waitFor()
    const noon = await page.evaluate("new Date('2026-01-31T12:30').toISOString()")
    await scene.close(page)
    const { rows } = await scene.platform.db.query(
      "select expected_from, not_before from transaction where reference = 'order-7'",
    )
    expect(rows).toEqual([{ expected_from: SHOP, not_before: new Date(String(noon)) }])
  })
})

async function chooseToken(page: Page, token = 'USDCE'): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: 'Token' }).click()
  await page.getByRole('option', { name: token }).click()
}

/** Fills in the required fields except the token, and these, and submits the payment. */
async function fillIn(dialog: Locator, fields: Readonly<Record<string, string>>): Promise<void> {
  const values = { Amount: '2', Receiver: SHOP, ...fields }
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value)
  await dialog.getByRole('button', { name: 'Enter the payment' }).click()
}
