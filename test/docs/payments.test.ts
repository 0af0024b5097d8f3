import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

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
