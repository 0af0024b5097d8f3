import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { externalNullifier } from '../../lib/proof/encoding.ts'
import { freePort } from '../../local/process/free-port.ts'
import { personNullifierHash } from '../../local/simulator/identity.ts'
import { simulatedMember } from '../../local/simulator/people.ts'
import { startWalletServer, type WalletServer } from '../support/oidc/wallet-server.ts'
import { accessFaults } from '../support/portal/access-faults.ts'
import { type AppOwner, signUpOwner } from '../support/portal/app-owner.ts'
import { followLink } from '../support/portal/follow-link.ts'
import { fitsWidth, type PortalScene, ROOT, startPortal } from '../support/portal/portal-scene.ts'
import { resizeTo, WINDOWS } from '../support/portal/visits.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'

const [WIDE, NARROW] = WINDOWS

let scene: PortalScene
let wallet: WalletServer
let port: number

beforeAll(async () => {
  port = await freePort()
  wallet = await startWalletServer(port)
  scene = await startPortal({ WALLET_BRIDGE_URL: wallet.url, SIMULATOR_URL: wallet.url })
  wallet.setChain(scene.platform.anvil.rpcUrl, scene.platform.baseUrl)
})
afterAll(async () => {
  await scene.stop()
  await wallet.stop()
})

test('a simulated person verifies, and the page shows the request and the response', async () => {
  const owner = await signUpOwner(scene)
  const { page, complaints } = await scene.openAs(owner.email, owner.path, WIDE)
  await followLink(page, 'Try it')
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await page.getByRole('img', { name: 'QR code of the request' }).waitFor()
  await expectNoFaults(page, complaints)
  await answerInSimulator(page, 'Approve')
  const sentence = 'This person has now verified once. Each person may verify once.'
  await page.getByText(sentence).waitFor()
  await page.getByText(`POST /api/v2/verify/${owner.app}`).waitFor()
  await page.getByText('"success": true').waitFor()
  await expectNoFaults(page, complaints)
  await scene.close(page)
})

test('a second verification of the same person is not counted, and the debugger shows each check', async () => {
  const owner = await signUpOwner(scene)
  await countSuggestedPerson(owner)
  const { page, complaints } = await scene.openAs(owner.email, owner.path, NARROW)
  await followLink(page, 'Try it')
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await page.getByRole('img', { name: 'QR code of the request' }).waitFor()
  await expectNoFaults(page, complaints)
  await answerInSimulator(page, 'Approve')
  await page.getByText('Already verified', { exact: true }).waitFor()
  await page.getByText('"code": "max_verifications_reached"').waitFor()
  // The browser reports a response with status 400 as an error.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400 (Bad Request)')])
  await expectNoFaults(page, complaints)
  await page.getByRole('link', { name: 'Show each check' }).click()
  await page.getByRole('button', { name: 'Check the proof' }).click()
  await page.getByText('One check fails').waitFor()
  await page.getByText('So far: 1. Allowed: 1.').waitFor()
  await scene.close(page)
})

test('the user can ask again after a person declined or a request expired', async () => {
  const { email, path } = await signUpOwner(scene)
  const { page, complaints } = await scene.openAs(email, `${path}/try-it`)
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await answerInSimulator(page, 'Decline')
  await page.getByText('The person declined in their wallet.').waitFor()
  for (const window of WINDOWS) {
    await resizeTo(page, window)
    await expectNoFaults(page, complaints)
  }

  await page.getByRole('button', { name: 'Ask again' }).click()
  await page.getByRole('link', { name: 'Open the simulator' }).waitFor()
  await forgetRequests()
  await page.getByText('No wallet answered in time.').waitFor()
  await page.getByRole('button', { name: 'Ask again' }).click()
  await page.getByRole('link', { name: 'Open the simulator' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Ask for a proof' }).waitFor()
  await scene.close(page)
})

test('the Content-Security-Policy lets pages connect only to the platform and the bridge', async () => {
  const { headers } = await fetch(`${scene.platform.baseUrl}/log-in`)
  const policy = headers.get('content-security-policy')?.split('; ')
  expect(policy).toContain(`connect-src 'self' ${wallet.url}`)
})

test('a production app has no link to "Try it", and the page says why', async () => {
  const { email, path } = await signUpOwner(scene, { isStaging: false })
  const { page } = await scene.openAs(email, `${path}/try-it`)
  await page.getByText('Only staging apps can be tried').waitFor()
  const links = page.getByRole('navigation', { name: 'App' }).getByRole('link')
  expect(await links.allTextContents()).not.toContain('Try it')
  expect(await links.allTextContents()).toContain('Proof debugger')
  await scene.close(page)
})

/** Verifies the person whom the simulator suggests. */
async function countSuggestedPerson({ app }: AppOwner) {
  const { identity } = simulatedMember('person-0')
  const nullifier = personNullifierHash(identity, externalNullifier(app, 'vote'))
  const vote = await forgeRequest({ app, action: 'vote', root: ROOT, nullifier })
  const reply = await scene.platform.post(`/api/v2/verify/${app}`, vote)
  expect(reply).toMatchObject({ status: 200 })
}

/** Answers in the simulator's tab, which the portal opens. */
async function answerInSimulator(page: Page, answer: 'Approve' | 'Decline') {
  // A proof takes some seconds, and longer on a busy machine.
  page.context().setDefaultTimeout(100_000)
  const popup = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open the simulator' }).click()
  const simulator = await popup
  await simulator.getByRole('button', { name: answer }).click()
  await simulator.getByRole('status').waitFor()
  await simulator.close()
}

/** Replaces the bridge, which loses all requests. */
async function forgetRequests() {
  await wallet.stop()
  wallet = await startWalletServer(port)
  wallet.setChain(scene.platform.anvil.rpcUrl, scene.platform.baseUrl)
}

async function expectNoFaults(page: Page, complaints: string[]) {
  expect(await accessFaults(page)).toEqual([])
  await expect.poll(() => fitsWidth(page)).toBe(true)
  expect(complaints).toEqual([])
}
