import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChain, type TestChain } from '../support/chain.ts'
import { readPrograms, runToEnd } from '../support/docs/programs.ts'

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
