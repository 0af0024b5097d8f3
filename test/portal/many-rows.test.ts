import type { Response } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import type { PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import type { Person } from '../support/webhooks/people.ts'

const ACTIONS = 10_000
const PEOPLE = 100_000
const PAGE_ROWS = 50
/** Of one answer: as many rows as are shown. */
const MAX_ANSWER_BYTES = 40_000

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: shared }) => {
  scene = shared
  owner = await scene.makePerson()
  ids = await fillTeam(scene, owner)
  // Without the triggers, which would have Hasura call us for each of them.
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

test('ten thousand actions are read page by page, and found by a part of their name', async () => {
  const { page, complaints } = await openCounting(generatePath(PAGE_PATHS.actions, ids))
  const rows = page.locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(PAGE_ROWS)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows.count()).toBe(2 * PAGE_ROWS)
  await page.getByLabel('Search').fill('action-9999')
  await expect.poll(() => rows.count()).toBe(1)
  expect(await complaints()).toEqual([])
  await scene.close(page)
})

test('so are a hundred thousand people, the last of whom is found at once', async () => {
  const { page, complaints } = await openCounting(generatePath(PAGE_PATHS.action, ids))
  const people = page.locator('tbody code')
  await expect.poll(() => people.count()).toBe(PAGE_ROWS)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => people.count()).toBe(2 * PAGE_ROWS)
  const shown = await people.allTextContents()
  expect(new Set(shown).size).toBe(2 * PAGE_ROWS)
  await page.getByLabel('Search').fill(String(PEOPLE))
  await expect.poll(() => people.allTextContents()).toEqual([hexOf(PEOPLE)])
  expect(await complaints()).toEqual([])
  await scene.close(page)
})

/** Opens a page of the portal on which no answer may be larger than what is shown. */
async function openCounting(path: string) {
  const { page, complaints } = await scene.openBlankAs(owner.email)
  const judged: Promise<void>[] = []
  const judge = async (response: Response) => {
    const { length } = await response.body()
    if (length > MAX_ANSWER_BYTES) complaints.push(`an answer of ${length} bytes`)
  }
  page.on('response', (response) => {
    if (response.url().endsWith('/v1/graphql')) judged.push(judge(response))
  })
  await page.goto(scene.platform.baseUrl + path)
  return {
    page,
    /** What there is to complain of, when all answers are read. */
    async complaints() {
      await Promise.all(judged)
      return complaints
    },
  }
}

function hexOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}
