import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { fillTeam } from '../../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { resizeTo, WINDOWS } from '../../support/portal/visits.ts'

let scene: PortalScene
test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

async function openAudit(search = '') {
  const owner = await scene.createUser()
  const ids = await fillTeam(scene, owner)
  await owner.graphql(
    'mutation ($id: String!) { update_action_by_pk(pk_columns: { id: $id }, _set: { max_verifications: 3 }) { id } }',
    { id: ids.actionId },
  )
  const path = `${generatePath(PAGE_PATHS.audit, ids)}${search}`
  return { owner, ids, ...(await scene.openAs(owner.email, path)) }
}

test('the audit page names and links the person and the thing, and says the change in words', async () => {
  const { page, ids, owner, complaints } = await openAudit('?subject=action')
  const row = page.getByRole('row').filter({ hasText: 'Changed the action' })
  await row.getByRole('link', { name: 'Join' }).waitFor()
  const text = await row.textContent()
  expect(text).toContain('Limit: 1 → 3')
  expect(text).not.toMatch(/action_[0-9a-f]|usr_|app_[0-9a-f]/)
  expect(await row.getByRole('link').count()).toBe(2)
  await page.getByText('Credentials: proof_of_human').first().waitFor()
  const { rows } = await scene.platform.db.query('select name from "user" where id = $1', [
    owner.id,
  ])
  expect(text).toContain(rows[0].name)
  expect(await accessFaults(page)).toEqual([])
  for (const window of WINDOWS) {
    await resizeTo(page, window)
    await expect.poll(() => fitsWidth(page)).toBe(true)
  }
  await row.getByRole('link', { name: 'Join' }).click()
  await page.waitForURL(`**/actions/${ids.actionId}`)
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('the filters by person, subject and day are in the address, and survive a reload', async () => {
  const { page, ids, owner } = await openAudit()
  await scene.platform.db.query(
    `insert into audit (team_id, actor_role, operation, subject, subject_id, changes, created_at)
    select $1, 'service', 'insert', 'api_key', 'key_' || n, '{"name": {"new": "Old key"}}', '2026-01-15T12:00Z'
    from generate_series(1, 60) as n`,
    [ids.teamId],
  )
  const rows = page.locator('tbody tr')
  await page.getByRole('combobox', { name: 'Person' }).click()
  await page.getByRole('option', { name: 'The platform' }).click()
  await page.getByLabel('From').fill('2026-01-15')
  await page.getByLabel('To').fill('2026-01-15')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(60)
  expect(await rows.first().textContent()).toContain('Created the API key Old key')
  const { searchParams } = new URL(page.url())
  expect(Object.fromEntries(searchParams)).toEqual({
    person: 'platform',
    from: '2026-01-15',
    to: '2026-01-15',
  })
  await page.reload()
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByLabel('From').fill('2026-01-16')
  await page.getByLabel('To').fill('2026-01-16')
  await page.getByRole('heading', { name: 'No change matches' }).waitFor()
  await page.goto(`${page.url().split('?')[0]}?person=${owner.id}&subject=api_key&from=never`)
  await page.getByRole('row').filter({ hasText: 'Created the API key' }).waitFor()
  expect(await rows.count()).toBe(1)
  await scene.close(page)
})
