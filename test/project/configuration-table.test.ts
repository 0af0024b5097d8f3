import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withConfigurationTable } from '../../scripts/configuration-table.ts'

test('the table in docs/operations/configuration.md matches the variables (update it with npm run configuration)', () => {
  const document = readFileSync('docs/operations/configuration.md', 'utf8')
  expect(document).toBe(withConfigurationTable(document))
})
