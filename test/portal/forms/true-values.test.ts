import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { type AppOwner, signUpOwner } from '../../support/portal/app-owner.ts'
import { chooseLimit } from '../../support/portal/choose-limit.ts'
import { complaintsExcept400, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'

// A value that matters never changes without the user's knowledge.

let scene: PortalScene
let owner: AppOwner

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await signUpOwner(scene)
})

test('an empty or wrong limit is an error at its field, and only "Unlimited" removes the limit', async () => {
  const { page, complaints } = await openSettings('limited')
  await chooseLimit(page, 'Another number of times')
  const field = page.getByLabel('Number of times')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  for (const [text, error] of [
    ['', 'Enter a whole number from 1 to 2,147,483,647.'],
    ['-3', 'Enter a whole number from 1 to 2,147,483,647.'],
    ['1.5', 'Enter a whole number from 1 to 2,147,483,647.'],
    ['1e3', 'Enter a whole number from 1 to 2,147,483,647.'],
    ['2147483648', 'Enter a whole number from 1 to 2,147,483,647.'],
    ['0', 'Enter a number above zero, or choose Unlimited.'],
  ] as const) {
    await field.fill(text)
    await save.click()
    await page.getByText(error).waitFor()
    // The typed text stays, and a screen reader reads the error.
    expect(await field.inputValue()).toBe(text)
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => isFocused(page, 'Number of times')).toBe(true)
  }
  expect(await storedAction('limited')).toMatchObject({ max_verifications: 1 })
  for (const [choice, limit, words] of [
    ['Unlimited', 0, 'each person any number of times'],
    ['Twice', 2, 'each person twice'],
    ['Once', 1, 'each person once'],
  ] as const) {
    await chooseLimit(page, choice)
    await save.click()
    await page.getByText(words).waitFor()
    expect(await storedAction('limited')).toMatchObject({ max_verifications: limit })
  }
  await chooseLimit(page, 'Another number of times')
  await field.fill(' 2147483647 ')
  await save.click()
  await page.getByText('each person up to 2,147,483,647 times').waitFor()
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('a form sends only the changed field, so that it keeps another user’s change of another field', async () => {
  const { page, complaints } = await openSettings('kept')
  const mutations = recordMutations(page)
  await setInDatabase('kept', 'max_verifications = 3')
  await page.getByLabel('Description').fill('Only this.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('each person up to 3 times').waitFor()
  expect(mutations).toEqual([
    { set: { description: 'Only this.' }, where: { description: { _eq: '' } } },
  ])
  expect(await storedAction('kept')).toMatchObject({
    max_verifications: 3,
    description: 'Only this.',
  })
  // The form shows the other user's value without a reload.
  await expect.poll(() => page.getByLabel('Number of times').inputValue()).toBe('3')
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('a form shows both values if another user has changed the same field, and the user chooses', async () => {
  const { page, complaints } = await openSettings('disputed')
  await setInDatabase('disputed', "max_verifications = 3, name = 'Theirs'")
  await chooseLimit(page, 'Unlimited')
  await page.getByLabel('Name').fill('Mine')
  await page.getByLabel('Description').fill('Not disputed.')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  const name = page.getByRole('group', { name: 'Name', exact: true })
  const limit = page.getByRole('group', { name: 'How often each person may verify' })
  await name.getByText('Your value: Mine').waitFor()
  await name.getByText('Saved value: Theirs').waitFor()
  await limit.getByText('Your value: any number of times').waitFor()
  await limit.getByText('Saved value: up to 3 times').waitFor()
  expect(await storedAction('disputed')).toMatchObject({ max_verifications: 3, name: 'Theirs' })
  // A second attempt without a choice saves nothing either.
  await save.click()
  expect(await storedAction('disputed')).toMatchObject({ max_verifications: 3, description: '' })

  await limit.getByRole('button', { name: 'Take the saved value' }).click()
  await limit.waitFor({ state: 'hidden' })
  expect(await page.getByLabel('Number of times').inputValue()).toBe('3')
  await name.getByRole('button', { name: 'Keep your value' }).click()
  await name.waitFor({ state: 'hidden' })
  await save.click()
  await page.getByRole('heading', { name: 'Mine' }).waitFor()
  expect(await storedAction('disputed')).toMatchObject({
    max_verifications: 3,
    name: 'Mine',
    description: 'Not disputed.',
  })
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('of two users who save the same field at once, one sees the other’s value', async () => {
  const first = await openSettings('raced')
  const second = await openSettings('raced')
  await first.page.getByLabel('Name').fill('First')
  await second.page.getByLabel('Name').fill('Second')
  await Promise.all(
    [first, second].map(({ page }) =>
      page.getByRole('button', { name: 'Save', exact: true }).click(),
    ),
  )
  await expect
    .poll(async () => {
      const conflicts = await Promise.all(
        [first, second].map(({ page }) => page.getByText('Changed by another user').count()),
      )
      return conflicts.toSorted()
    })
    .toEqual([0, 1])
  await scene.close(first.page, second.page)
})

test('the identifier of a new action is made from its name, can be changed, and has no spaces at its ends', async () => {
  const { page, complaints } = await scene.openAs(owner.email, `${owner.path}/actions`)
  await page.getByRole('button', { name: 'Create an action' }).click()
  const dialog = page.getByRole('dialog')
  const [name, identifier] = [dialog.getByLabel('Name'), dialog.getByLabel('Identifier')]
  for (const [text, expected] of [
    ['  Wähle 2026! ', 'wahle-2026'],
    ['投票 2026', '投票-2026'],
    ['...', ''],
    ['Vote for a board', 'vote-for-a-board'],
  ] as const) {
    await name.fill(text)
    expect(await identifier.inputValue()).toBe(expected)
  }
  await identifier.fill('  My vote ')
  await name.fill('Board 2026')
  expect(await identifier.inputValue()).toBe('  My vote ')
  expect(await dialog.getByText('Your website uses').locator('code').textContent()).toBe('My vote')
  await dialog.getByRole('button', { name: 'Create the action' }).click()
  await page.getByText('My vote · each person once').waitFor()
  expect(await storedAction('My vote')).toMatchObject({ name: 'Board 2026' })
  expect(complaints).toEqual([])
  await scene.close(page)
})

test('a form does not reject a stored value that the user has not changed', async () => {
  const { page, complaints } = await openSettings('erroneous')
  // Another client of GraphQL stored an address that this form does not accept. The user does not change it.
  await setInDatabase('erroneous', "return_url = 'http://example.com/'")
  await page.reload()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByLabel('Description').fill('Changed.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => storedAction('erroneous')).toMatchObject({ description: 'Changed.' })
  expect(complaintsExcept400({ page, complaints })).toEqual([])
  await scene.close(page)
})

test('the forms of an app, a team and a key do not overwrite another user’s change either', async () => {
  const { page } = await scene.openBlankAs(owner.email)
  await scene.platform.db.query(
    `insert into api_key (id, team_id, name, secret_hash)
    values ('key_' || repeat('1', 32), $1, 'Server', repeat('1', 64))`,
    [owner.team],
  )
  const ids = { teamId: owner.team, appId: owner.app }
  for (const [path, table, label, id] of [
    [PAGE_PATHS.app, 'app', 'Name', owner.app],
    [PAGE_PATHS.teamSettings, 'team', 'Team name', owner.team],
    [PAGE_PATHS.keys, 'api_key', 'Name', `key_${'1'.repeat(32)}`],
  ] as const) {
    await page.goto(scene.platform.baseUrl + generatePath(path, ids))
    if (table === 'api_key') await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel(label, { exact: true }).fill('Mine')
    await scene.platform.db.query(`update ${table} set name = 'Theirs' where id = $1`, [id])
    const save = page.getByRole('button', { name: /^(Save|Rename)$/ }).last()
    await save.click()
    await page.getByText('Saved value: Theirs').waitFor()
    await page.getByRole('button', { name: 'Keep your value' }).click()
    await save.click()
    await expect
      .poll(() => scene.platform.db.query(`select name from ${table} where id = $1`, [id]))
      .toMatchObject({ rows: [{ name: 'Mine' }] })
  }
  await scene.close(page)
})

async function openSettings(action: string) {
  await scene.platform.db.query(
    'insert into action (app_id, action) values ($1, $2) on conflict do nothing',
    [owner.app, action],
  )
  const { rows } = await scene.platform.db.query(
    'select id from action where app_id = $1 and action = $2',
    [owner.app, action],
  )
  const actionId: string = rows[0].id
  const ids = { teamId: owner.team, appId: owner.app, actionId }
  const visit = await scene.openAs(owner.email, generatePath(PAGE_PATHS.action, ids))
  await visit.page.getByRole('tab', { name: 'Settings' }).click()
  return visit
}

async function storedAction(action: string): Promise<unknown> {
  const { rows } = await scene.platform.db.query(
    'select max_verifications, name, description from action where app_id = $1 and action = $2',
    [owner.app, action],
  )
  return rows[0]
}

/** Changes an action as another user does, while a page is open. */
async function setInDatabase(action: string, assignments: string) {
  await scene.platform.db.query(
    `update action set ${assignments} where app_id = $1 and action = $2`,
    [owner.app, action],
  )
}

/** Lists the changes that a page sends for actions. */
function recordMutations(page: Page): unknown[] {
  const mutations: unknown[] = []
  page.on('request', (request) => {
    const body = request.postData() ?? ''
    if (!body.includes('mutation ChangeAction')) return
    const { set, where } = JSON.parse(body).variables
    mutations.push({ set, where })
  })
  return mutations
}

async function isFocused(page: Page, label: string): Promise<boolean> {
  return (await page.getByLabel(label).and(page.locator(':focus')).count()) > 0
}
