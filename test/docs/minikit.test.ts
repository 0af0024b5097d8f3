import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { startBrowser } from '../support/chromium.ts'
import { startClientWebsite } from '../support/clients/client-website.ts'
import { emitUserOperation } from '../support/clients/user-operation-event.ts'
import { hash, insert, paymentOf, query } from '../support/webhooks/payments.ts'
import { test } from '../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../support/webhooks/start-platform.ts'

// Runs MiniKit 2 and its hooks from npm in a real browser. The test takes the place of World App.

const RECEIVER = '0x00000000000000000000000000000000005409ee'

let platform: TestPlatform
let website: Awaited<ReturnType<typeof startClientWebsite>>
let browser: Browser

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
})
beforeAll(async () => {
  website = await startClientWebsite('minikit.html')
  browser = await startBrowser()
})
afterAll(async () => {
  await browser.close()
  await website.stop()
})

test("a payment of MiniKit's pay is found by the transaction_id that World App reported", async () => {
  const team = await platform.team()
  const app = await platform.app({ team })
  const transaction_id = hash()
  const page = await openPage(({ command, payload }) => {
    expect(command).toBe('pay')
    const { reference } = z.object({ reference: z.string() }).parse(payload)
    const timestamp = new Date().toISOString()
    return { transaction_id, reference, from: RECEIVER, chain: 'worldchain', timestamp }
  })
  const result: unknown = await page.evaluate(`pay({ reference: 'order-7', to: '${RECEIVER}' })`)
  expect(result).toMatchObject({ transactionId: transaction_id, reference: 'order-7' })
  await insert(platform, team.apiKey, { ...paymentOf(app), reference: 'order-7', transaction_id })
  expect(await query(platform, { id: transaction_id, app, key: team.apiKey })).toMatchObject({
    status: 200,
    body: { reference: 'order-7', transaction_status: 'pending' },
  })
})

test("the hook useUserOperationReceipt finds the transaction of MiniKit's sendTransaction", async () => {
  const userOpHash = hash()
  const page = await openPage(() => ({ userOpHash }))
  const transactionHash = page.evaluate(
    `sendTransaction(${JSON.stringify({
      to: RECEIVER,
      apiBaseUrl: platform.baseUrl,
      rpcUrl: platform.anvil.rpcUrl,
    })})`,
  )
  await page.waitForResponse((response) => response.url().endsWith(`/userop/${userOpHash}`))
  const minedHash = await emitUserOperation(platform, { userOpHash })
  expect(await transactionHash).toBe(minedHash)
})

type Command = { command: string; payload: unknown }

/** Opens the page with MiniKit, whose commands `answerCommand` answers. */
async function openPage(answerCommand: (command: Command) => unknown): Promise<Page> {
  const page = await browser.newPage()
  await page.exposeFunction('answerCommand', answerCommand)
  await page.goto(website.url)
  return page
}
