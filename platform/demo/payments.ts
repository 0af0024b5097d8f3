import { setTimeout as sleep } from 'node:timers/promises'
import { createWalletClient, encodeFunctionData, type Hex, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { abi } from '../../chain/abi.ts'
import { connectLocalChain, sendAsOwner } from '../../chain/local-chain.ts'
import type { Facts } from '../facts.ts'
import { getAndShow, postAndShow, type Reply } from './show.ts'

/** An address whose key nobody has. */
const SHOP = '0x00000000000000000000000000000000005409ee'

/** What the buyer is given: 5 USDCE. */
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

type Stage = { app: string; say(text: string): void; expect(status: number, reply: Reply): void }

/** The tour's steps about prices and payments; they are numbered from `first`. */
export async function showPayments(facts: Facts, { app, say, expect }: Stage, first: number) {
  const { baseUrl, apiKey } = facts
  const graphql = (query: string, variables: object) =>
    postAndShow({ url: `${baseUrl}/v1/graphql`, body: { query, variables }, apiKey })
  const status = (id: string) =>
    `${baseUrl}/api/v2/minikit/transaction/${id}?app_id=${app}&type=payment`

  say(`${first}. What a WLD costs.`)
  const search = 'cryptoCurrencies=WLD&fiatCurrencies=USD,EUR'
  expect(200, await getAndShow({ url: `${baseUrl}/public/v1/miniapps/prices?${search}` }))

  const buyer = await makeBuyer(facts)
  say(
    `${first + 1}. A buyer sends 1.5 USDCE. It waits, because what they sent before it has not arrived.`,
  )
  const hash = await buyer.pay(1_500_000n, 1)
  const entered = await graphql(ENTER, { payment: newPayment(app, hash, '1500000') })
  expect(200, entered)
  const paid = insertedId(entered)
  expectStatus('pending', await getAndShow({ url: status(paid), apiKey }))

  say(`${first + 2}. It arrives, and the chain puts both into a block.`)
  await buyer.pay(1n, 0)
  await waitUntilSettled(status(paid), apiKey)
  expectStatus('mined', await getAndShow({ url: status(paid), apiKey }))

  say(`${first + 3}. Another payment is for more than the buyer has. The chain refuses it.`)
  const tooMuch = await graphql(ENTER, {
    payment: newPayment(app, await buyer.pay(BALANCE, 2), String(BALANCE)),
  })
  expect(200, tooMuch)
  await waitUntilSettled(status(insertedId(tooMuch)), apiKey)
  expectStatus('failed', await getAndShow({ url: status(insertedId(tooMuch)), apiKey }))
  expect(200, await graphql(REASON, { id: insertedId(tooMuch) }))
}

function newPayment(app: string, transaction_hash: string, token_amount: string) {
  const reference = `order-${transaction_hash.slice(2, 10)}`
  return {
    app_id: app,
    reference,
    transaction_hash,
    chain: 'local',
    token: 'USDCE',
    token_amount,
    to: SHOP,
  }
}

function expectStatus(status: string, { body }: Reply) {
  if (Payment.parse(body).transaction_status !== status)
    throw new Error(`This step has failed: the expected status of the payment is ${status}.`)
}

function insertedId({ body }: Reply): string {
  return Inserted.parse(body).data.insert_transaction_one.id
}

/** A new account with coins for gas and 5 USDCE. */
async function makeBuyer({ rpcUrl, tokens }: Facts) {
  const chain = await connectLocalChain(rpcUrl)
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.setBalance({ address: account.address, value: parseEther('1') })
  const mint = { abi: abi.token, functionName: 'mint', args: [account.address, BALANCE] } as const
  await sendAsOwner(chain, tokens.usdce, encodeFunctionData(mint))
  const wallet = createWalletClient({ account, transport: http(rpcUrl) })
  return {
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
