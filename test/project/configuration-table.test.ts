import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Environment, SignInEnvironment } from '../../lib/runtime/config.ts'
import { COMPOSE_VARIABLES } from '../../lib/runtime/unknown-variables.ts'
import { withConfigurationTable } from '../../scripts/configuration-table.ts'
import { withSettingsTables } from '../../scripts/engine-settings-tables.ts'
import { compose } from '../support/compose.ts'

test('the table in docs/operations/configuration.md matches the variables (update it with npm run configuration)', () => {
  const document = readFileSync('docs/operations/configuration.md', 'utf8')
  expect(document).toBe(withConfigurationTable(document))
})

test('every variable of the services and of docker-compose.yml has a row with its meaning', () => {
  const document = readFileSync('docs/operations/configuration.md', 'utf8')
  const rows = [...document.matchAll(/^\| `([A-Z_\d]+)` +\| ([\w, ]+?) +\| .*? +\| (.*?) *\|$/gm)]
  const documented = rows.flatMap(([, name = '', , meaning]) => (meaning ? [name] : []))
  const names = [Environment.shape, SignInEnvironment.shape].flatMap(Object.keys)
  expect(documented.toSorted()).toEqual([...new Set([...names, ...COMPOSE_VARIABLES])].toSorted())
})

test('configuration.md lists the variables whose values docker-compose.yml sets', () => {
  const [, note = ''] =
    /^- \*\*Under compose\*\*, (.*?) have no effect/ms.exec(
      readFileSync('docs/operations/configuration.md', 'utf8'),
    ) ?? []
  const fixed = ['webhooks', 'oidc'].flatMap((name) => {
    const environment = compose.services[name]?.environment ?? []
    const entries = Array.isArray(environment) ? environment : []
    return entries.flatMap((entry) => /^(\w+)=[^$]*$/.exec(entry)?.[1] ?? [])
  })
  expect([...note.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name).toSorted()).toEqual(
    [...new Set(fixed)].toSorted(),
  )
})

test('the tables in packages/engine/docs/settings.md match the engine’s settings (update them with npm run configuration)', () => {
  const document = readFileSync('packages/engine/docs/settings.md', 'utf8')
  expect(document).toBe(withSettingsTables(document))
})
