import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { builtPortal } from '../../../portal/build/built-portal.ts'
import { startBrowser } from '../chromium.ts'
import { forgeRequest } from '../webhooks/forge-request.ts'
import { startWithMailboxes } from '../webhooks/mailboxes.ts'
import { peopleOf } from '../webhooks/people.ts'
import type { TestPlatform } from '../webhooks/start-platform.ts'
import { type Visit, visitsOf } from './visits.ts'

/** The newest root of the staging group. */
export const ROOT = 4711n

export type PortalScene = Awaited<ReturnType<typeof startPortal>>

/** A platform that serves the portal, its mail, and a browser. */
export async function startPortal(environment: Record<string, string> = {}) {
  const mailboxes = await startWithMailboxes({
    PORTAL_FOLDER: await builtPortal('.cache'),
    // People sign up and verify here by the dozen.
    RATE_LIMIT_SIGNUP: '1000/60',
    ...environment,
  })
  const { platform } = mailboxes
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
  const browser = await startBrowser()
  const attempt = attemptsOn(platform)
  return {
    ...mailboxes,
    browser,
    ...visitsOf(browser, platform.baseUrl),
    /** Signs somebody up, who has a team of their own. */
    makePerson: peopleOf(platform),
    /** Has somebody who was not seen before verify for an action. */
    async verifySomebody(app: string, action: string) {
      const { reply, nullifier } = await attempt(app, action)
      expect(reply).toMatchObject({ status: 200 })
      return nullifier
    },
    /** Whether somebody who was not seen before may. */
    async mayVerify(app: string, action: string): Promise<boolean> {
      return (await attempt(app, action)).reply.status === 200
    },
    async stop() {
      await browser.close()
      await mailboxes.stop()
    },
  }
}

/** Has somebody who was not seen before ask to be counted. */
function attemptsOn(platform: TestPlatform) {
  let people = 0n
  return async (app: string, action: string) => {
    people += 1n
    const body = await forgeRequest({ app, action, root: ROOT, nullifier: 5_000_000n + people })
    const reply = await platform.post(`/api/v2/verify/${app}`, body)
    return { reply, nullifier: body.nullifier_hash }
  }
}

/** What a browser complains of, but that something was refused: that is an answer, which it calls an error. */
export function complaintsButRefusals({ complaints }: Visit): string[] {
  return complaints.filter((text) => !text.includes('status of 400'))
}

/** Whether everything fits into the window, so that nobody has to scroll sideways. */
export function fitsWidth(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth')
}
