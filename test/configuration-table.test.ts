import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withConfigurationTable } from '../scripts/configuration-table.ts'

test('docs/operations.md lists every variable as it is (else: node scripts/configuration-table.ts)', () => {
  const document = readFileSync('docs/operations.md', 'utf8')
  const unpadded = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/-{3,}/g, '---')
  expect(unpadded(document)).toBe(unpadded(withConfigurationTable(document)))
})
