import type { Response } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import type { Person } from '../../support/webhooks/people.ts'

const ACTIONS = 10_000
const PEOPLE = 100_000
const PAGE_ROWS = 50
/** The largest response: the rows of one page. */
const MAX_RESPONSE_BYTES = 40_000

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  ids = await fillTeam(scene, owner)
  // Turns triggers off, since Hasura would send an event for each row.
  await scene.platform.db.query('set session_replication_role = replica')
  await scene.platform.db.query(
    `insert into action (id, app_id, action, name, max_verifications, external_nullifier)
    select 'action_' || lpad(to_hex(n), 32, '0'), $1, 'action-' || n, 'Action ' || n, 1, '0x' || lpad(to_hex(n), 64, '0')
    from generate_series(1, ${ACTIONS}) as n`,
    [ids.appId],
  )
  await scene.platform.db.query(
    `insert into nullifier (action_id, nullifier_hash, created_at)
    select $1, '0x' || lpad(to_hex(n), 64, '0'), now() - interval '1 second' * n
    from generate_series(1, ${PEOPLE}) as n`,
    [ids.actionId],
  )
  await scene.platform.db.query('set session_replication_role = origin; analyze action, nullifier')
})

test('the actions page reads ten thousand actions page by page and finds an action by its identifier', async () => {
  const { page, complaints } = await openMeasured(generatePath(PAGE_PATHS.actions, ids))
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(PAGE_ROWS)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(2 * PAGE_ROWS)
  await page.getByLabel('Search').fill('action-9999')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await complaints()).toEqual([])
  await scene.close(page)
})

test('an action page reads a hundred thousand people page by page and finds the last by nullifier', async () => {
  const { page, complaints } = await openMeasured(generatePath(PAGE_PATHS.action, ids))
  const people = page.locator('tbody code')
  await expect.poll(() => people.count()).toBe(PAGE_ROWS)
  await page.getByRole('button', { name: 'Show earlier people' }).click()
  await expect.poll(() => people.count()).toBe(2 * PAGE_ROWS)
  const nullifiers = await people.allTextContents()
  expect(new Set(nullifiers).size).toBe(2 * PAGE_ROWS)
  await page.getByLabel('Search').fill(String(PEOPLE))
  await expect.poll(() => people.allTextContents()).toEqual([hexOf(PEOPLE)])
  expect(await complaints()).toEqual([])
  await scene.close(page)
})

test('the overview counts a hundred thousand people and ten thousand actions in one small response', async () => {
  const { page, complaints } = await openMeasured(generatePath(PAGE_PATHS.team, ids))
  const people = (PEOPLE + 1).toLocaleString('en')
  await page.getByText(`${people} people verified for the first time in the last 30 days`).waitFor()
  expect(await complaints()).toEqual([])
  await scene.close(page)
})

/** Opens a page of the portal, and records GraphQL responses above MAX_RESPONSE_BYTES as complaints. */
async function openMeasured(path: string) {
  const { page, complaints } = await scene.openBlankAs(owner.email)
  const checks: Promise<void>[] = []
  const check = async (response: Response) => {
    const { length } = await response.body()
    if (length > MAX_RESPONSE_BYTES) complaints.push(`a response of ${length} bytes`)
  }
  page.on('response', (response) => {
    if (response.url().endsWith('/v1/graphql')) checks.push(check(response))
  })
  await page.goto(scene.platform.baseUrl + path)
  return {
    page,
    /** Returns the complaints after all responses are read. */
    async complaints() {
      await Promise.all(checks)
      return complaints
    },
  }
}

function hexOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}
