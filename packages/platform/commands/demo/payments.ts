import { setTimeout as sleep } from 'node:timers/promises'
import { createWalletClient, encodeFunctionData, type Hex, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { abi } from '../../../../local/chain/abi.ts'
import { connectLocalChain, sendAsOwner } from '../../../../local/chain/local-chain.ts'
import type { Facts } from '../../facts.ts'
import { getAndShow, postAndShow, type Reply } from './show.ts'

/** An address without a known private key. */
const SHOP = '0x00000000000000000000000000000000005409ee'

const THIEF = '0x0000000000000000000000000000000000000bad'

/** The buyer's balance: 5 USDCE. */
const BALANCE = 5_000_000n

const ENTER = `mutation Enter($payment: transaction_insert_input!) {
  insert_transaction_one(object: $payment) { id reference transaction_status }
}`

const REASON = `query Reason($id: String!) {
  transaction(where: {id: {_eq: $id}}) { reference transaction_status failure_reason }
}`

const Payment = z.object({ transaction_status: z.string() })

const Inserted = z.object({
  data: z.object({ insert_transaction_one: z.object({ id: z.string() }) }),
})

type Tour = { app: string; print(text: string): void; expect(status: number, reply: Reply): void }

/** Shows the steps of the tour about prices and payments, numbered from `first`. */
export async function showPayments(facts: Facts, tour: Tour, first: number) {
  const { baseUrl } = facts
  const { app, print, expect } = tour
  const shop = createShop(facts, tour)

  print(`${first}. The app reads the price of a WLD.`)
  const search = 'cryptoCurrencies=WLD&fiatCurrencies=USD,EUR'
  expect(200, await getAndShow({ url: `${baseUrl}/public/v1/miniapps/prices?${search}` }))

  const buyer = await createBuyer(facts)
  print(
    `${first + 1}. A buyer sends 1.5 USDCE. The payment is pending, because the buyer's previous transaction is missing.`,
  )
  const hash = await buyer.pay(1_500_000n, 1)
  const order = newPayment(app, { hash, amount: '1500000', buyer: buyer.address })
  const paymentId = await shop.enter(order)
  await shop.expectStatus('pending', paymentId)

  print(`${first + 2}. The previous transaction arrives, and the chain mines both.`)
  await buyer.pay(1n, 0)
  await shop.expectFinalStatus('mined', paymentId)

  print(
    `${first + 3}. A thief claims the same transfer for another order. It fails, because another wallet paid.`,
  )
  const thiefOrder = { reference: `${order.reference}-too`, expected_from: THIEF }
  const claimId = await shop.enter({ ...order, ...thiefOrder })
  await shop.expectFinalStatus('failed', claimId)
  await shop.showReason(claimId)

  print(`${first + 4}. Another payment exceeds the buyer's balance. It fails on the chain.`)
  const amount = String(BALANCE)
  const largePayment = { hash: await buyer.pay(BALANCE, 2), amount, buyer: buyer.address }
  const largeId = await shop.enter(newPayment(app, largePayment))
  await shop.expectFinalStatus('failed', largeId)
  await shop.showReason(largeId)
}

/** Returns functions for the calls that the app's server makes. */
function createShop({ baseUrl, apiKey }: Facts, { app, expect }: Tour) {
  const graphql = (query: string, variables: object) =>
    postAndShow({ url: `${baseUrl}/v1/graphql`, body: { query, variables }, apiKey })
  const statusUrl = (id: string) =>
    `${baseUrl}/api/v2/minikit/transaction/${id}?app_id=${app}&type=payment`

  async function expectStatus(status: string, id: string) {
    const { body } = await getAndShow({ url: statusUrl(id), apiKey })
    if (Payment.parse(body).transaction_status !== status)
      throw new Error(`Step failed: the payment must have the status ${status}.`)
  }

  return {
    async enter(payment: ReturnType<typeof newPayment>): Promise<string> {
      const reply = await postAndShow({
        url: `${baseUrl}/v1/graphql`,
        body: { query: ENTER, variables: { payment } },
        apiKey,
        idempotencyKey: `"${payment.reference}"`,
      })
      expect(200, reply)
      return Inserted.parse(reply.body).data.insert_transaction_one.id
    },
    expectStatus,
    async expectFinalStatus(status: string, id: string) {
      await waitUntilSettled(statusUrl(id), apiKey)
      await expectStatus(status, id)
    },
    async showReason(id: string) {
      expect(200, await graphql(REASON, { id }))
    },
  }
}

type Order = { hash: string; amount: string; buyer: string }

/** Returns a payment that only the buyer's wallet can pay. */
function newPayment(app: string, { hash, amount, buyer }: Order) {
  return {
    app_id: app,
    reference: `order-${hash.slice(2, 10)}`,
    transaction_hash: hash,
    chain: 'local',
    token: 'USDCE',
    token_amount: amount,
    to: SHOP,
    expected_from: buyer,
  }
}

/** Creates an account with 5 USDCE, and with coins to pay for gas. */
async function createBuyer({ rpcUrl, tokens }: Facts) {
  const chain = await connectLocalChain(rpcUrl)
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.setBalance({ address: account.address, value: parseEther('1') })
  const mint = { abi: abi.token, functionName: 'mint', args: [account.address, BALANCE] } as const
  await sendAsOwner(chain, tokens.usdce, encodeFunctionData(mint))
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  return {
    address: account.address,
    /** Sends tokens to the shop, in the buyer's transaction with this nonce. */
    pay(units: bigint, nonce: number): Promise<Hex> {
      const args = [SHOP, units] as const
      const data = encodeFunctionData({ abi: abi.token, functionName: 'transfer', args })
      const fees = { gas: 200_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      return wallet.sendTransaction({ to: tokens.usdce, data, nonce, chain: null, ...fees })
    },
  }
}

/** Waits until the status is no longer `pending`. */
async function waitUntilSettled(url: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(200)) {
    const response = await fetch(url, { headers })
    if (Payment.parse(await response.json()).transaction_status !== 'pending') return
  }
}
