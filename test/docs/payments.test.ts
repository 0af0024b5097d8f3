import { globSync, readFileSync } from 'node:fs'
import { concat, type Hex, keccak256, pad, stringToBytes, toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectLocalChain } from '../../local/chain/local-chain.ts'
import { startChain, type TestChain } from '../support/chain.ts'
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

test.each([
  [
    'js find-payment',
    'TransferReference(address,address,uint256,address,string,bool)',
    [pad(RECEIVER), keccak256(stringToBytes('order-7')), pad('0x1')],
  ],
  [
    'js find-user-operation',
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
    [USER_OP_HASH, pad(RECEIVER), pad('0x0')],
  ],
] as const)(
  'the program “%s” of payments.md finds the transaction of MiniKit’s id',
  async (mark, event, topics) => {
    const program = readPrograms('docs/payments.md').get(mark) ?? ''
    const env = { RPC_URL: chain.rpcUrl, RECEIVER, REFERENCE: 'order-7', USER_OP_HASH }
    const find = () => runToEnd(['node', '--input-type=module', '-e', program], { env })
    expect((await find()).output).toMatch(/^no block has this /)
    const hash = await emitEvent([toEventSelector(event), ...topics])
    expect(await find()).toEqual({ code: 0, output: `${hash}\n` })
  },
)

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
