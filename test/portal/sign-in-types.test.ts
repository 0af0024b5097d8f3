import type { Page } from 'playwright-core'
import { generatePath } from 'react-router'
import { expect } from 'vitest'
import { RESPONSE_TYPES } from '../../oidc/clients/response-types.ts'
import { grantTypesInWords } from '../../portal/pages/sign-in/types-in-words.ts'
import { PAGE_PATHS } from '../../portal/settings/page-paths.ts'
import { accessFaults } from '../support/portal/access-faults.ts'
import { fillTeam } from '../support/portal/fill-team.ts'
import { fitsWidth, type PortalScene } from '../support/portal/portal-scene.ts'
import { test } from '../support/portal/portal-test.ts'
import { WINDOWS } from '../support/portal/visits.ts'
import type { Person } from '../support/webhooks/people.ts'

let scene: PortalScene
let owner: Person
let ids: Awaited<ReturnType<typeof fillTeam>>

test.beforeAll(async ({ scene: sharedScene }) => {
  scene = sharedScene
  owner = await scene.createUser()
  ids = await fillTeam(scene, owner)
})

test.each(WINDOWS)(
  'the sign-in page describes the response and grant types of a client ($width px, $colorScheme)',
  async (window) => {
    await scene.platform.db.query('delete from sign_in_client where app_id = $1', [ids.appId])
    const path = generatePath(PAGE_PATHS.signIn, ids)
    const { page, complaints } = await scene.openAs(owner.email, path, window)
    // An app created in the portal may use all types.
    await expect.poll(() => badges(page, 'Allowed')).toEqual([...GRANT_TYPES, ...RESPONSE_TYPES])
    expect(await badges(page, 'Not registered')).toEqual([])
    await types(page).getByText('Most libraries use this type.').waitFor()
    await types(page)
      .getByText('At /register, use the grant type implicit or hybrid.')
      .first()
      .waitFor()
    expect(await accessFaults(page)).toEqual([])
    expect(await fitsWidth(page)).toBe(true)

    await scene.platform.db.query(
      "insert into sign_in_client (app_id, token_endpoint_auth_method, response_types) values ($1, 'none', $2)",
      [ids.appId, JSON.stringify(['code', 'code id_token'])],
    )
    await page.reload()
    await types(page).getByText('This is a public client').waitFor()
    expect(await badges(page, 'Allowed')).toEqual([...GRANT_TYPES, 'code', 'code id_token'])
    await scene.platform.db.query(
      `update sign_in_client set response_types = '["code"]' where app_id = $1`,
      [ids.appId],
    )
    await page.reload()
    await expect.poll(() => badges(page, 'Allowed')).toEqual(['authorization_code', 'code'])
    expect(complaints).toEqual([])
    await scene.close(page)
  },
)

test.each([
  ['code', 'authorization_code or hybrid'],
  ['id_token token', 'implicit or hybrid'],
  ['code token', 'hybrid'],
])('the response type %s belongs to the grant types %s', (responseType, grantTypes) => {
  expect(grantTypesInWords(responseType)).toBe(grantTypes)
})

const GRANT_TYPES = ['authorization_code', 'implicit']

function types(page: Page) {
  return page.getByRole('region', { name: 'Response types and grant types' })
}

/** Returns the names of the types that have a badge. */
function badges(page: Page, label: string): Promise<string[]> {
  return types(page)
    .locator('.mantine-Card-root')
    .filter({ hasText: label })
    .locator('code')
    .allInnerTexts()
}
