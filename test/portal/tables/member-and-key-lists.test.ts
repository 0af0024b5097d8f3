import { generatePath } from 'react-router'
import { describe, expect } from 'vitest'
import { parseNullifierSearch } from '../../../portal/pages/action/parse-nullifier.ts'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import type { PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'

let scene: PortalScene
test.beforeAll(({ scene: sharedScene }) => {
  scene = sharedScene
})

test('120 members are read in pages of 50, and found by name and by address', async () => {
  const { email, team } = await signUpOwner(scene)
  await scene.platform.db.query(
    `with joined as (
      insert into "user" (email, name, password_hash, email_verified_at)
      select 'member' || n || '-' || right($1, 8) || '@example.com', 'Member Nr' || n, 'x', now()
      from generate_series(1, 120) as n
      returning id
    )
    insert into membership (team_id, user_id, role)
    select $1, id, 'MEMBER'
    from joined`,
    [team],
  )
  const { page, complaints } = await scene.openAs(
    email,
    generatePath(PAGE_PATHS.members, { teamId: team }),
  )
  const rows = page.locator('tbody tr')
  for (const count of [50, 100, 121]) {
    await expect.poll(() => rows.count()).toBe(count)
    if (count < 121) await page.getByRole('button', { name: 'Show more' }).click()
  }
  const texts = await rows.allTextContents()
  expect(new Set(texts).size).toBe(121)
  await page.getByLabel('Search').fill('nr12')
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByLabel('Search').fill('MEMBER7-')
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?search=MEMBER7-')
  await page.reload()
  await page.getByText('Member Nr7').waitFor()
  expect(await rows.count()).toBe(1)
  await page.getByLabel('Search').fill('nobody%')
  await page.getByText('No member matches.').waitFor()
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('60 keys are read in pages of 50 with their last use, and found by name', async () => {
  const { email, team } = await signUpOwner(scene)
  await scene.platform.db.query(
    `insert into api_key (team_id, name, secret_hash, is_active, last_used_at)
    select $1, 'Server ' || n, lpad(to_hex(n), 64, '0'), false, '2026-01-15T12:00Z'
    from generate_series(1, 60) as n`,
    [team],
  )
  const { page } = await scene.openAs(email, generatePath(PAGE_PATHS.keys, { teamId: team }))
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(60)
  await page.getByLabel('Search').fill('server 60')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await rows.first().textContent()).toMatch(/Jan 15, 2026/)
  await page.getByLabel('Search').fill('none')
  await page.getByText('No key matches.').waitFor()
  await scene.close(page)
})

describe('parseNullifierSearch reads a whole nullifier, or its first digits', () => {
  const HASH = `0x0911${'ab'.repeat(30)}`
  test.each([
    [HASH, { hash: HASH, prefix: null }],
    [HASH.slice(2).toUpperCase(), { hash: HASH, prefix: null }],
    [BigInt(HASH).toString(), { hash: HASH, prefix: null }],
    [' 0x0911', { hash: `0x${'911'.padStart(64, '0')}`, prefix: '0x0911' }],
    ['09AB', { hash: `0x${'9ab'.padStart(64, '0')}`, prefix: '0x09ab' }],
    ['15', { hash: `0x${'f'.padStart(64, '0')}`, prefix: '0x15' }],
    ['0x', null],
    ['0x09%', null],
    ['f'.repeat(65), null],
  ])('%s', (text, search) => expect(parseNullifierSearch(text)).toEqual(search))
})

test('a person is found by the first digits of the nullifier', async () => {
  const { email, app, action, path } = await signUpOwner(scene)
  const hash = (begin: string) => `0x${begin.padEnd(64, '7')}`
  await scene.platform.db.query(
    'insert into nullifier (action_id, nullifier_hash) select $1, unnest($2::text[])',
    [action, [hash('0911'), hash('0912'), hash('f')]],
  )
  expect(app).toMatch(/^app_/)
  const { page } = await scene.openAs(email, `${path}/actions/${action}`)
  const people = page.locator('section[aria-label="People"] tbody tr')
  await expect.poll(() => people.count()).toBe(3)
  await page.getByLabel('Search').fill('0x0911')
  await expect.poll(() => people.count()).toBe(1)
  await page.getByLabel('Search').fill('0x091')
  await expect.poll(() => people.count()).toBe(2)
  await page.getByLabel('Search').fill('0x3')
  await page.getByText('No nullifier begins with this').waitFor()
  await scene.close(page)
})
