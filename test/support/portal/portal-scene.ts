import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { ensurePortal } from '../../../portal/build/ensure-portal.ts'
import { startBrowser } from '../chromium.ts'
import { forgeRequest } from '../webhooks/forge-request.ts'
import { startWithMailboxes } from '../webhooks/mailboxes.ts'
import { peopleOf } from '../webhooks/people.ts'
import type { TestPlatform } from '../webhooks/start-platform.ts'
import { createVisits, type Visit } from './visits.ts'

/** The newest root of the staging group. */
export const ROOT = 4711n

/** The address of the page with mail, to which the portal links. No test opens the page. */
export const MAIL_PAGE = 'http://localhost:9'

export type PortalScene = Awaited<ReturnType<typeof startPortal>>

/** Starts a platform that serves the portal, a mail catcher, and a browser. */
export async function startPortal(environment: Record<string, string> = {}) {
  const mailboxes = await startWithMailboxes({
    PORTAL_FOLDER: await ensurePortal('.cache'),
    // Tests sign up dozens of users.
    RATE_LIMIT_SIGNUP: '1000/60',
    MAIL_PAGE_URL: MAIL_PAGE,
    ...environment,
  })
  const { platform } = mailboxes
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: ROOT })
  const browser = await startBrowser()
  const verifyNewPerson = createVerifier(platform)
  return {
    ...mailboxes,
    browser,
    ...createVisits(browser, platform.baseUrl),
    /** Signs up a user with a team. */
    createUser: peopleOf(platform),
    /** Verifies a new person for an action; returns the nullifier. */
    async verifyPerson(app: string, action: string) {
      const { reply, nullifier } = await verifyNewPerson(app, action)
      expect(reply).toMatchObject({ status: 200 })
      return nullifier
    },
    /** Verifies a new person for an action; returns whether the platform accepted the proof. */
    async mayVerify(app: string, action: string): Promise<boolean> {
      return (await verifyNewPerson(app, action)).reply.status === 200
    },
    async stop() {
      await browser.close()
      await mailboxes.stop()
    },
  }
}

/** Returns a function that verifies a new person at each call. */
function createVerifier(platform: TestPlatform) {
  let people = 0n
  return async (app: string, action: string) => {
    people += 1n
    const body = await forgeRequest({ app, action, root: ROOT, nullifier: 5_000_000n + people })
    const reply = await platform.post(`/api/v2/verify/${app}`, body)
    return { reply, nullifier: body.nullifier_hash }
  }
}

/** Returns the complaints without responses of status 400, which a browser reports as errors. */
export function complaintsExcept400({ complaints }: Visit): string[] {
  return complaints.filter((text) => !text.includes('status of 400'))
}

/** Returns whether the page fits into the window without sideways scrolling. */
export function fitsWidth(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= innerWidth')
}
