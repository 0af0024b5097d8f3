import { getContract, type Hex, maxUint256, parseEventLogs } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { abi } from '../../../local/chain/abi.ts'
import type { Addresses } from '../../../local/chain/deploy.ts'
import { connectLocalChain, type LocalChain, OWNER } from '../../../local/chain/local-chain.ts'
import { startChain, type TestChain } from '../../support/chain.ts'

const PAYER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SHOP = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

let anvil: TestChain
let addresses: Addresses
let chain: LocalChain

beforeAll(async () => {
  anvil = await startChain()
  addresses = anvil.addresses
  chain = await connectLocalChain(anvil.rpcUrl)
  await mined(token().write.mint([PAYER, 1_000_000n], as(OWNER)))
})
afterAll(() => anvil.stop())

const token = (name: 'usdce' | 'wld' = 'usdce') =>
  getContract({ address: addresses.tokens[name], abi: abi.token, client: chain })
const as = (account: Hex) => ({ account, chain: null })
const mined = async (hash: Promise<Hex>) => chain.waitForTransactionReceipt({ hash: await hash })

test.each([
  ['usdce', 'USDC.e', 6],
  ['wld', 'WLD', 18],
] as const)('the token %s has the symbol %s and %s decimals', async (name, symbol, decimals) => {
  expect(await token(name).read.symbol()).toBe(symbol)
  expect(await token(name).read.decimals()).toBe(decimals)
})

test('a transfer changes the balance and logs a Transfer event', async () => {
  const earlierBalance = await token().read.balanceOf([SHOP])
  const { logs } = await mined(token().write.transfer([SHOP, 250n], as(PAYER)))
  expect(await token().read.balanceOf([SHOP])).toBe(earlierBalance + 250n)
  const [event] = parseEventLogs({ abi: abi.token, logs, eventName: 'Transfer' })
  expect(event?.args).toEqual({ from: PAYER, to: SHOP, value: 250n })
})

test('a transfer of more than the balance fails', async () => {
  const pay = (value: bigint) => token().simulate.transfer([SHOP, value], { account: PAYER })
  const balance = await token().read.balanceOf([PAYER])
  await expect(pay(balance)).resolves.toBeDefined()
  await expect(pay(balance + 1n)).rejects.toThrow(/InsufficientBalance/)
})

test('a transfer to the zero address fails', async () => {
  const payment = token().simulate.transfer([ZERO_ADDRESS, 1n], { account: PAYER })
  await expect(payment).rejects.toThrow(/InvalidReceiver/)
})

test('an allowance is used up, unless it is unlimited', async () => {
  const allow = (value: bigint) => mined(token().write.approve([SHOP, value], as(PAYER)))
  const allowance = () => token().read.allowance([PAYER, SHOP])
  await allow(10n)
  await mined(token().write.transferFrom([PAYER, SHOP, 7n], as(SHOP)))
  expect(await allowance()).toBe(3n)
  const tooMuch = token().simulate.transferFrom([PAYER, SHOP, 4n], { account: SHOP })
  await expect(tooMuch).rejects.toThrow(/InsufficientAllowance/)
  await allow(maxUint256)
  await mined(token().write.transferFrom([PAYER, SHOP, 4n], as(SHOP)))
  expect(await allowance()).toBe(maxUint256)
})

test('only the owner can mint', async () => {
  const mint = (account: Hex) => token().simulate.mint([PAYER, 1n], { account: account })
  await expect(mint(OWNER)).resolves.toBeDefined()
  await expect(mint(PAYER)).rejects.toThrow(/NotTheOwner/)
})
