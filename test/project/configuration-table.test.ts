import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withConfigurationTable } from '../../scripts/configuration-table.ts'
import { withSettingsTables } from '../../scripts/engine-settings-tables.ts'

test('the table in docs/operations/configuration.md matches the variables (update it with npm run configuration)', () => {
  const document = readFileSync('docs/operations/configuration.md', 'utf8')
  expect(document).toBe(withConfigurationTable(document))
})

test('the tables in packages/engine/docs/settings.md match the engine’s settings (update them with npm run configuration)', () => {
  const document = readFileSync('packages/engine/docs/settings.md', 'utf8')
  expect(document).toBe(withSettingsTables(document))
})
