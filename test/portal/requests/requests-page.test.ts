import { generatePath } from 'react-router'
import { describe, expect } from 'vitest'
import { type ErrorCode, errorCodes } from '../../../lib/runtime/errors.ts'
import { adviceFor } from '../../../portal/pages/requests/advice.ts'
import { PAGE_PATHS } from '../../../portal/settings/page-paths.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { signUpOwner } from '../../support/portal/app-owner.ts'
import { fitsWidth, type PortalScene } from '../../support/portal/portal-scene.ts'
import { test } from '../../support/portal/portal-test.ts'
import { resizeTo, WINDOWS } from '../../support/portal/visits.ts'

/** The codes that no verification and no sign-in of an app has. */
const CODES_OF_OTHERS = new Set<ErrorCode>([
  ...(['min_length', 'invalid', 'already_registered', 'last_owner'] as const),
  ...(['invalid_credentials', 'request_key_exists', 'quota_exceeded', 'team_blocked'] as const),
  ...(['invalid_app', 'request_under_way', 'answer_not_kept'] as const),
])

describe('the page says what to do about each code', () => {
  const codes = errorCodes().filter((code) => !CODES_OF_OTHERS.has(code))
  const oauthErrors = ['access_denied', 'login_required', 'unauthorized_client', 'server_error']
  const reasons = ['invalid_root', 'invalid_rp', 'outdated_nullifier', 'credential_not_accepted']

  test.each([...codes, ...oauthErrors, ...reasons])('the code %s has a sentence', (code) => {
    expect(adviceFor(code)?.text).toMatch(/^[A-Z].*\.$/)
  })

  test.each(['new_code', 'constructor', '__proto__'])('the unknown code %s has none', (code) => {
    expect(adviceFor(code)).toBeNull()
  })
})

describe('the page "Requests" shows what the platform refused', () => {
  let scene: PortalScene
  test.beforeAll(({ scene: sharedScene }) => {
    scene = sharedScene
  })

  test('a refused verification appears without a reload, with its code, its words, advice and its request id', async () => {
    const { email, app, path } = await signUpOwner(scene)
    const { page, complaints } = await scene.openAs(email, `${path}/requests`)
    await page.getByRole('heading', { name: 'No refused request' }).waitFor()
    const reply = await scene.platform.post(`/api/v2/verify/${app}`, proofOf('unknown'))
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_action' } })
    const row = page.getByRole('row').filter({ hasText: 'invalid_action' })
    await row.waitFor()
    const text = await row.textContent()
    expect(text).toContain('/api/v2/verify')
    expect(text).toContain('The app has no such action.')
    expect(text).toContain('Create the action, or correct its identifier in your code.')
    expect(text).toContain(reply.headers.get('x-request-id'))
    await row.getByRole('link', { name: 'Open the actions' }).click()
    await page.getByRole('heading', { name: 'Actions', level: 1 }).waitFor()
    expect(complaints).toEqual([])
    await scene.close(page)
  })

  test('the code of the filter is in the address, and survives a reload and the back button', async () => {
    const { email, app, path } = await signUpOwner(scene)
    await insertRows(app, [{ code: 'invalid_grant' }, { code: 'invalid_proof', times: 7 }])
    const { page } = await scene.openAs(email, `${path}/requests`)
    const rows = page.getByRole('row')
    await rows.nth(2).waitFor()
    expect(await page.getByText('× 7').count()).toBe(1)
    await page.getByRole('combobox', { name: 'Code' }).click()
    await page.getByRole('option', { name: 'invalid_grant' }).click()
    await expect.poll(() => rows.count()).toBe(2)
    expect(new URL(page.url()).search).toBe('?code=invalid_grant')
    await page.reload()
    await rows.nth(1).waitFor()
    expect(await rows.count()).toBe(2)
    await page.goBack()
    await expect.poll(() => rows.count()).toBe(3)
    await scene.close(page)
  })

  test('a log of 120 requests has three pages, in which each request appears once', async () => {
    const { email, app, path } = await signUpOwner(scene)
    await insertRows(
      app,
      Array.from({ length: 120 }, (_, n) => ({ request_id: `request-${n}` })),
    )
    const { page } = await scene.openAs(email, `${path}/requests`)
    const seen: string[] = []
    for (const length of [50, 50, 20]) {
      await expect.poll(() => page.locator('tbody tr').count()).toBe(length)
      seen.push(...(await page.locator('tbody tr td:last-child code').allInnerTexts()))
      if (length === 50) await page.getByRole('button', { name: 'Older requests' }).click()
      await page.getByRole('button', { name: 'Newest requests' }).waitFor()
    }
    expect(new Set(seen).size).toBe(120)
    expect(seen[0]).toBe('request-119')
    await page.getByRole('button', { name: 'Newest requests' }).click()
    await page.getByText('request-119', { exact: true }).waitFor()
    await scene.close(page)
  })

  test('the page is accessible and fits both windows with hostile texts, and ignores a wrong address', async () => {
    const { email, app, path } = await signUpOwner(scene)
    await insertRows(app, [
      {
        code: 'c'.repeat(64),
        detail: '<img src=x onerror=alert(1)> '.repeat(10),
        times: 2_000_000,
      },
      { attribute: 'a'.repeat(100), endpoint: `/${'e'.repeat(99)}`, request_id: 'r'.repeat(64) },
      { code: 'all_verifications_failed', reasons: '["invalid_root", "invalid_proof"]' },
      { reasons: '{"not": "a list"}', detail: '\u202eturned \u0007' },
    ])
    const wrong = `${path}/requests?before=yesterday&id=&code=`
    const { page, complaints } = await scene.openAs(email, wrong)
    await page.getByRole('row').nth(4).waitFor()
    for (const window of WINDOWS) {
      await resizeTo(page, window)
      expect(await accessFaults(page)).toEqual([])
      await expect.poll(() => fitsWidth(page)).toBe(true)
    }
    expect(await page.locator('tbody img').count()).toBe(0)
    expect(complaints).toEqual([])
    await scene.close(page)
  })

  test('a member sees the log, and a user of another team gets "not found"', async () => {
    const { team, app, path } = await signUpOwner(scene)
    await insertRows(app, [{ request_id: 'of-this-team' }])
    const [member, stranger] = [await scene.createUser(), await signUpOwner(scene)]
    await scene.platform.db.query(
      `insert into membership (team_id, user_id, role) values ($1, $2, 'MEMBER')`,
      [team, member.id],
    )
    const visit = await scene.openAs(member.email, `${path}/requests`)
    await visit.page.getByText('of-this-team').waitFor()
    const foreign = generatePath(PAGE_PATHS.requests, { teamId: stranger.team, appId: app })
    const other = await scene.openAs(stranger.email, foreign)
    await other.page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await scene.close(visit.page, other.page)
  })

  test('the advice for a refused exchange of a code leads to the settings of sign-in', async () => {
    const { email, app, path } = await signUpOwner(scene)
    await insertRows(app, [{ endpoint: '/token', code: 'unauthenticated' }])
    const { page } = await scene.openAs(email, `${path}/requests`)
    await page.getByRole('link', { name: 'Open the sign-in settings' }).click()
    await page.getByRole('heading', { name: 'Sign-in', level: 1 }).waitFor()
    await scene.close(page)
  })

  type Row = Partial<
    Record<'endpoint' | 'code' | 'attribute' | 'detail' | 'request_id', string>
  > & {
    times?: number
    reasons?: string
  }

  /** Inserts rows into the log of an app, the oldest first, all within a tenth of a second. */
  async function insertRows(app: string, rows: readonly Row[]): Promise<void> {
    const filled = rows.map((row, n) => ({
      endpoint: '/api/v2/verify',
      code: 'invalid_proof',
      attribute: null,
      detail: 'The proof is not valid for these values.',
      request_id: `request-${n}`,
      times: 1,
      reasons: '[]',
      created_at: new Date(Date.now() - 1_000 + Math.floor(n / 2)).toISOString(),
      id: `ref_${String(n).padStart(32, '0')}`,
      ...row,
    }))
    for (const { id, ...row } of filled)
      await scene.platform.db.query(
        `insert into refused_request (id, app_id, endpoint, code, attribute, detail, reasons, request_id, times, created_at)
        values (replace($1, 'ref_0000', 'ref_' || right($2, 4)), $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          id,
          app,
          row.endpoint,
          row.code,
          row.attribute,
          row.detail,
          row.reasons,
          row.request_id,
          row.times,
          row.created_at,
        ],
      )
  }
})

function proofOf(action: string) {
  return {
    nullifier_hash: '0x1',
    proof: `0x${'0'.repeat(512)}`,
    merkle_root: '0x1',
    verification_level: 'orb',
    action,
  }
}
