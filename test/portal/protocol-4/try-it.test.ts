import type { Page } from 'playwright-core'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { startWalletServer, type WalletServer } from '../../support/oidc/wallet-server.ts'
import { accessFaults } from '../../support/portal/access-faults.ts'
import { type AppOwner, signUpOwner } from '../../support/portal/app-owner.ts'
import { followLink } from '../../support/portal/follow-link.ts'
import { complaintsExcept400, fitsWidth, startPortal } from '../../support/portal/portal-scene.ts'
import { type Visit, WINDOWS } from '../../support/portal/visits.ts'

let scene: Awaited<ReturnType<typeof startPortal>>
let wallet: WalletServer

beforeAll(async () => {
  wallet = await startWalletServer(await freePort())
  scene = await startPortal({ WALLET_BRIDGE_URL: wallet.url, SIMULATOR_URL: wallet.url })
  wallet.setChain(scene.platform.anvil.rpcUrl, scene.platform.baseUrl)
})
afterAll(async () => {
  await scene.stop()
  await wallet.stop()
})

describe.each(WINDOWS)('a request of protocol 4.0 ($width px, $colorScheme)', (window) => {
  test('a user creates the key on the page, a simulated person verifies, and a repeat is explained', async () => {
    const owner = await signUp({ protocol: '4.0' })
    const visit = await scene.openAs(owner.email, `${owner.path}/try-it`, window)
    const { page } = visit
    const askButton = page.getByRole('button', { name: 'Ask for a proof' })
    await page.getByText('This app has no request signing key yet.').waitFor()
    expect(await askButton.isDisabled()).toBe(true)
    await expectNoFaults(visit)
    await page.getByRole('button', { name: 'Create key' }).click()
    const privateKey = await readNewKey(page)
    expect(await page.getByLabel('Private key').inputValue()).toBe(privateKey)
    await expectNoFaults(visit)

    await askButton.click()
    await page.getByRole('img', { name: 'QR code of the request' }).waitFor()
    await answerInSimulator(page)
    await page.getByText('The platform counted this person.').waitFor()
    await page.getByText('The proof is valid.').waitFor()
    await page.getByText(`POST /api/v4/verify/${rpIdOfApp(owner.app)}`).waitFor()
    await page.getByText('"protocol_version": "4.0"').waitFor()
    await expectNoFaults(visit)

    await askAgain(page)
    await page.getByText('Already verified', { exact: true }).waitFor()
    await page.getByText('"code": "max_verifications_reached"').waitFor()
    await page.getByRole('link', { name: 'Show each check' }).click()
    await page.getByRole('button', { name: 'Check the proof' }).click()
    await page.getByText('One check fails').waitFor()
    await page.getByText('So far: 1. Allowed: 1.').waitFor()
    await page.getByText('The relying party has an OPRF key').waitFor()
    await expectNoFaults(visit)

    await scene.platform.db.query('update action set allows_repeat = true where id = $1', [
      owner.action,
    ])
    await page.getByRole('button', { name: 'Check the proof' }).click()
    await page.getByText('Nothing is wrong with this proof').waitFor()
    await followLink(page, 'Try it')
    expect(await page.getByLabel('Private key').inputValue()).toBe('')
    await page.getByLabel('Private key').fill(privateKey)
    await askAgain(page)
    await page.getByText('Verified again', { exact: true }).waitFor()
    await expectNoFaults(visit)
    await scene.close(page)
  })
})

test('the private key is neither sent nor stored, and a reload forgets the key', async () => {
  const owner = await signUp({ protocol: '4.0' })
  const privateKey = await createKey(owner)
  const { page } = await scene.openAs(owner.email, `${owner.path}/try-it`)
  const sentTexts: string[] = []
  page.on('request', (request) => sentTexts.push(`${request.url()} ${request.postData()}`))
  await page.getByLabel('Private key').fill(privateKey)
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await answerInSimulator(page)
  await page.getByText('The platform counted this person.').waitFor()
  expect(sentTexts.some((text) => text.includes('/api/v4/verify/'))).toBe(true)
  expect(sentTexts.filter((text) => text.includes(privateKey.slice(2)))).toEqual([])
  const storage = await page.evaluate<string>(
    'JSON.stringify({ ...localStorage, ...sessionStorage, cookie: document.cookie })',
  )
  expect(storage).not.toContain(privateKey.slice(2))
  await page.reload()
  expect(await page.getByLabel('Private key').inputValue()).toBe('')
  await scene.close(page)
})

test('a malformed key and the key of another app are refused at the field', async () => {
  const owner = await signUp({ protocol: '4.0' })
  const privateKey = await createKey(owner)
  const visit = await scene.openAs(owner.email, `${owner.path}/try-it`)
  const { page } = visit
  await page.getByLabel('Private key').fill('0x12')
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await page.getByText('Enter the private key: 0x and 64 hexadecimal digits.').waitFor()
  const otherKey = generatePrivateKey()
  await page.getByLabel('Private key').fill(otherKey)
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await page.getByText(`Its address is ${privateKeyToAddress(otherKey).toLowerCase()}`).waitFor()
  await expectNoFaults(visit)
  await page.getByLabel('Private key').fill(privateKey.replace('0x', '').toUpperCase())
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await page.getByRole('img', { name: 'QR code of the request' }).waitFor()
  await scene.close(page)
})

test('for an action of both protocols, the user chooses the protocol of the request', async () => {
  const owner = await signUp({ protocol: 'both' })
  const privateKey = await createKey(owner)
  const { page } = await scene.openAs(owner.email, `${owner.path}/try-it`)
  await page.getByLabel('Private key').fill(privateKey)
  await page.getByRole('radiogroup', { name: 'Protocol' }).getByText('3.0').click()
  await expect.poll(() => page.getByLabel('Private key').count()).toBe(0)
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await answerInSimulator(page)
  await page.getByText(`POST /api/v2/verify/${owner.app}`).waitFor()
  await page.getByText('This person has now verified once.').waitFor()
  await page.getByRole('radiogroup', { name: 'Protocol' }).getByText('4.0').click()
  await askAgain(page)
  await page.getByText('The platform counted this person.').waitFor()
  await scene.close(page)
})

test.each([
  ['person-0', 'Decline', 'The person declined in their wallet.'],
  ['legacy', 'Approve', 'This wallet makes no proofs of protocol 4.0.'],
  ['expired', 'Approve', 'The person has no credential that the request accepts.'],
] as const)('the page explains the refusal of %s (%s): %s', async (person, answer, sentence) => {
  const owner = await signUp({ protocol: '4.0' })
  const privateKey = await createKey(owner)
  const { page } = await scene.openAs(owner.email, `${owner.path}/try-it`)
  await page.getByLabel('Private key').fill(privateKey)
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await answerInSimulator(page, { person, answer })
  await page.getByText(sentence).waitFor()
  await scene.close(page)
})

test('the page explains the code of each rejected proof', async () => {
  const owner = await signUp({ protocol: '4.0' })
  const privateKey = await createKey(owner)
  const visit = await scene.openAs(owner.email, `${owner.path}/try-it`)
  const { page } = visit
  // Changes the nonce on the way to the platform.
  await page.route('**/api/v4/verify/*', (route) => {
    const body = { ...Object(route.request().postDataJSON()), nonce: '0x05' }
    return route.continue({ postData: JSON.stringify(body) })
  })
  await page.getByLabel('Private key').fill(privateKey)
  await page.getByRole('button', { name: 'Ask for a proof' }).click()
  await answerInSimulator(page)
  await page.getByText('Rejected', { exact: true }).waitFor()
  await page.getByText('It was made for another app, action, nonce or signal.').waitFor()
  await page.getByText('"code": "all_verifications_failed"').waitFor()
  await expectNoFaults(visit)
  await scene.close(page)
})

async function signUp({ protocol }: { protocol: string }): Promise<AppOwner> {
  const owner = await signUpOwner(scene)
  await scene.platform.db.query('update action set protocol = $1 where id = $2', [
    protocol,
    owner.action,
  ])
  return owner
}

/** Creates the request signing key of the owner's app with the portal's session. Returns the private key. */
async function createKey({ email, path }: AppOwner): Promise<string> {
  const { page } = await scene.openAs(email, path)
  await page.getByRole('button', { name: 'Create key' }).click()
  const privateKey = await readNewKey(page)
  await scene.close(page)
  return privateKey
}

async function readNewKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your new request signing key' })
  const privateKey = await dialog.getByRole('status').locator('code').textContent()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await expect.poll(() => dialog.count()).toBe(0)
  return privateKey ?? ''
}

async function askAgain(page: Page) {
  await page.getByRole('button', { name: /^Ask (again|for a proof)$/ }).click()
  await answerInSimulator(page)
}

/** Answers in the simulator's tab, which the portal opens. */
async function answerInSimulator(page: Page, { person = 'person-0', answer = 'Approve' } = {}) {
  // A proof takes some seconds, and longer on a busy machine.
  page.context().setDefaultTimeout(30_000)
  const popup = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open the simulator' }).click()
  const simulator = await popup
  await simulator.getByRole('combobox').fill(person)
  await simulator.getByRole('button', { name: answer }).click()
  await simulator.getByRole('heading', { name: 'Done' }).waitFor()
  await simulator.close()
}

async function expectNoFaults(visit: Visit) {
  expect(await accessFaults(visit.page)).toEqual([])
  expect(await fitsWidth(visit.page)).toBe(true)
  expect(complaintsExcept400(visit)).toEqual([])
}
