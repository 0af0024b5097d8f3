import { execFile } from 'node:child_process'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGroupContract } from '../../../lib/chain/group-contract.ts'
import { r } from '../../../lib/proof/field.ts'
import { abi } from '../../../local/chain/abi.ts'
import { type Anvil, startAnvil } from '../../../local/chain/anvil.ts'
import { deployChain } from '../../../local/chain/deploy.ts'
import { CHAIN_ID, connectLocalChain } from '../../../local/chain/local-chain.ts'
import { Payment, payTokens } from '../../../local/chain/pay.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { START_CACHE } from '../../support/start-cache.ts'

const COMMAND = ['packages/platform/command.ts', 'chain']

let anvil: Anvil

beforeAll(async () => {
  anvil = await startAnvil({ port: await freePort() })
})
afterAll(() => anvil.stop())

type Outcome = { code: number; out: string; err: string }

const run = (...args: string[]) =>
  new Promise<Outcome>((resolve) => {
    const child = execFile(process.execPath, [...START_CACHE, ...COMMAND, ...args], (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
const publish = (root: string, ...rest: string[]) =>
  run('publish-root', root, '--group', 'staging', '--rpc', anvil.rpcUrl, ...rest)

const address = (digits: string): Hex => `0x${digits.padStart(40, '0')}`

async function balance(token: 'usdce' | 'wld', account: Hex): Promise<bigint> {
  const chain = await connectLocalChain(anvil.rpcUrl)
  const { tokens } = await deployChain(anvil.rpcUrl)
  const contract = { address: tokens[token], abi: abi.token } as const
  return chain.readContract({ ...contract, functionName: 'balanceOf', args: [account] })
}

describe('npm run chain deploys contracts, publishes roots and pays', () => {
  test('publish-root on a chain without contracts says how to deploy them', async () => {
    const { code, err } = await publish('0x5')
    expect(code).toBe(1)
    expect(err).toMatch(
      /does not know staging\.semaphore\.wld\.eth\. Deploy the contracts with "npm start"\./,
    )
  })

  test('deploy prints the addresses', async () => {
    const { code, out } = await run('deploy', '--rpc', anvil.rpcUrl)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual(await deployChain(anvil.rpcUrl))
  })

  test.each(['0x2a', '2A', `0x${'2a'.padStart(64, '0')}`])(
    'publish-root %s prints the root with all digits, and sends it once',
    async (root) => {
      await publish('0x1')
      const full = `0x${'2a'.padStart(64, '0')}`
      const first = await publish(root)
      expect(first).toEqual({
        code: 0,
        out: `${full} is now the latest root of staging (staging.semaphore.wld.eth).\n`,
        err: '',
      })
      expect((await publish(root)).out).toMatch(`${full} is already the latest root`)
    },
  )

  test('two simultaneous commands publish both roots', async () => {
    const outcomes = await Promise.all([publish('0xa1'), publish('0xa2')])
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0])
    const { groups } = await deployChain(anvil.rpcUrl)
    const contract = createGroupContract({
      rpcUrl: anvil.rpcUrl,
      chainId: CHAIN_ID,
      timeoutMs: 20_000,
    })
    for (const root of [0xa1n, 0xa2n])
      expect(await contract.queryRoot(groups.staging, root)).toMatchObject({ isKnown: true })
  })

  test('pay pays from any wallet, and prints the payment with the fields of the API', async () => {
    const [to, from] = [address('5409'), address('b0b')]
    const payment = { to, from, token: 'WLD', token_amount: '1500000', chain: 'local' }
    const args = ['pay', '--to', to, '--from', from, '--amount', '1500000', '--token', 'WLD']
    const { code, out, err } = await run(...args, '--rpc', anvil.rpcUrl)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out)).toEqual({
      ...payment,
      transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(await balance('wld', to)).toBe(1_500_000_000_000_000_000n)
    expect(await balance('wld', from)).toBe(0n)
  })

  test('simultaneous payments of one wallet are all mined, each once', async () => {
    const to = address('f00d')
    const payOnce = () =>
      payTokens(anvil.rpcUrl, Payment.parse({ to, token: 'USDCE', amount: '7' }))
    const payments = await Promise.all(Array.from({ length: 5 }, payOnce))
    expect(new Set(payments.map(({ transaction_hash }) => transaction_hash)).size).toBe(5)
    expect(await balance('usdce', to)).toBe(35n)
  })

  test.each([
    [['--amount', '0'], /^--amount must be a text of digits, a whole number from 1 .*; got 0\.\n/],
    [['--amount', '1.5'], /^--amount must be .*; got 1\.5\.\n/],
    [['--token', 'EUR'], /^--token must be USDCE or WLD; got EUR\.\n/],
    [['--to', address('0')], /^--to must be 0x and 40 hex digits, not all zero; got 0x0+\.\n/],
    [['--from', 'alice'], /^--from must be .*; got alice\.\n/],
    [['--group', 'staging'], /^pay does not take --group\.\n/],
    [['1500000'], /^pay takes only options; remove 1500000\.\n/],
  ])('pay with %j is wrong usage', async (args, complaint) => {
    const payment = ['--to', address('5409'), '--amount', '1', '--token', 'WLD']
    const { code, out, err } = await run('pay', ...payment, ...args, '--rpc', anvil.rpcUrl)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(complaint)
  })

  test.concurrent.each([
    ['chain without arguments', []],
    ['an unknown command', ['fly']],
    ['an unknown option', ['deploy', '--fast']],
    ['a --rpc that is not a URL', ['deploy', '--rpc', 'localhost']],
    ['publish-root without a root', ['publish-root', '--group', 'staging']],
    ['publish-root without a group', ['publish-root', '0x5']],
    ['publish-root with an unknown group', ['publish-root', '0x5', '--group', 'both']],
    ['publish-root with two roots', ['publish-root', '0x5', '0x6', '--group', 'staging']],
    ['publish-root with a root that is not hex', ['publish-root', '0xroot', '--group', 'staging']],
    ['publish-root with 65 digits', ['publish-root', '0'.repeat(65), '--group', 'staging']],
    ['publish-root with the root 0', ['publish-root', '0x0', '--group', 'staging']],
    [
      'publish-root with the order of the field',
      ['publish-root', r.toString(16), '--group', 'staging'],
    ],
  ])('%s exits with code 2 and prints the usage', async (_, args) => {
    const { code, out, err } = await run(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/\n\nUsage:\n {2}npm run chain -- publish-root/)
  })

  test('publish-root accepts the largest number of the field', async () => {
    expect(await publish((r - 1n).toString(16))).toMatchObject({ code: 0 })
  })

  test('chain --help prints the usage', async () => {
    const { code, out } = await run('--help')
    expect(code).toBe(0)
    expect(out).toMatch(/^Usage:/)
  })

  test('deploy says that no chain responds at the URL', async () => {
    const { code, err } = await run('deploy', '--rpc', `http://127.0.0.1:${await freePort()}`)
    expect(code).toBe(1)
    expect(err).toMatch(/^No chain responds at .* Is "npm start" running\? .* --rpc\.\n$/)
  })
})
