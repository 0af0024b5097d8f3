import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withConfigurationTable } from '../../scripts/configuration-table.ts'

test('docs/operations/configuration.md lists every variable as it is (else: npm run configuration)', () => {
  const document = readFileSync('docs/operations/configuration.md', 'utf8')
  expect(document).toBe(withConfigurationTable(document))
})
