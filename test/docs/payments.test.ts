import { globSync, readFileSync } from 'node:fs'
import { concat, type Hex, keccak256, pad, stringToBytes, toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectLocalChain } from '../../local/chain/local-chain.ts'
import { startChain, type TestChain } from '../support/chain.ts'
import { emitUserOperation } from '../support/clients/user-operation-event.ts'
import { readPrograms, runToEnd } from '../support/docs/programs.ts'

const RECEIVER = '0x00000000000000000000000000000000005409ee'
const USER_OP_HASH = `0x${'7e'.repeat(32)}` as const

let chain: TestChain

beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

test("payments.md's command pays on the local chain, and prints what the page shows", async () => {
  const programs = readPrograms('docs/payments.md')
  const command = `${programs.get('sh pay')?.trim()} --rpc ${chain.rpcUrl}`
  const { code, output } = await runToEnd(['sh', '-c', command], { env: {} })
  expect({ code, output: output.replace(/0x[0-9a-f]{64}/, '0x…') }).toEqual({
    code: 0,
    output: programs.get('text pay'),
  })
})

test('the first program of payments.md finds the transaction of a payment’s reference', async () => {
  expect((await runProgram('js find-payment')).output).toMatch(/^no block has this /)
  const event = toEventSelector('TransferReference(address,address,uint256,address,string,bool)')
  const reference = keccak256(stringToBytes('order-7'))
  const hash = await emitEvent([event, pad(RECEIVER), reference, pad('0x1')])
  expect(await runProgram('js find-payment')).toEqual({ code: 0, output: `${hash}\n` })
})

test('the second program of payments.md finds a user operation only at an entry point', async () => {
  await emitUserOperation({ anvil: chain }, { userOpHash: USER_OP_HASH, at: RECEIVER })
  expect((await runProgram('js find-user-operation')).output).toMatch(/^no block has this /)
  const hash = await emitUserOperation({ anvil: chain }, { userOpHash: USER_OP_HASH })
  expect(await runProgram('js find-user-operation')).toEqual({ code: 0, output: `${hash}\n` })
})

test('the second program of payments.md reads the entry points that the endpoint reads', () => {
  const entryPoints = (text = '') => text.match(/'0x[0-9a-f]{40}'/g)
  const endpoint = readFileSync('webhooks/payments/chain-view.ts', 'utf8')
  const program = readPrograms('docs/payments.md').get('js find-user-operation')
  expect(entryPoints(program)).toHaveLength(3)
  expect(entryPoints(program)).toEqual(entryPoints(endpoint))
})

test('payments.md lists every failure_reason', () => {
  const migrations = globSync('hasura/migrations/default/*/up.sql').map((file) =>
    readFileSync(file, 'utf8'),
  )
  const [, reasonList = ''] = /failure_reason in \(([^)]*)\)/.exec(migrations.join('\n')) ?? []
  const reasons = [...reasonList.matchAll(/'(\w+)'/g)].map(([, reason]) => reason)
  const [, table = ''] = readFileSync('docs/payments.md', 'utf8').split('| reason ')
  const documentedReasons = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason)
  expect(reasons.length).toBeGreaterThan(6)
  expect(documentedReasons).toEqual(reasons)
})

/** Runs a program of payments.md on the local chain. */
function runProgram(mark: string) {
  const program = readPrograms('docs/payments.md').get(mark) ?? ''
  const env = { RPC_URL: chain.rpcUrl, RECEIVER, REFERENCE: 'order-7', USER_OP_HASH }
  return runToEnd(['node', '--input-type=module', '-e', program], { env })
}

/** Creates a contract whose constructor emits an event with four topics and 160 zero bytes. Returns the transaction's hash. */
async function emitEvent(topics: readonly Hex[]): Promise<Hex> {
  const push = topics.toReversed().map((topic) => concat(['0x7f', topic]))
  // PUSH1 160, PUSH1 0, LOG4, STOP.
  const data = concat([...push, '0x60a0', '0x6000', '0xa4', '0x00'])
  const client = await connectLocalChain(chain.rpcUrl)
  const hash = await client.sendTransaction({ data, chain: null })
  await client.waitForTransactionReceipt({ hash })
  return hash
}
