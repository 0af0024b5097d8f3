import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tablesIn } from '../../../../test/support/markdown-tables.ts'

test('the clients that packages/engine/docs/supported.md lists have the tested versions', () => {
  const page = readFileSync('packages/engine/docs/supported.md', 'utf8')
  const [table = []] = tablesIn(page.slice(page.indexOf('\n## Clients\n')))
  const manifest = readFileSync('packages/engine/test/clients/app/package.json', 'utf8')
  const { dependencies } = JSON.parse(manifest)
  const clients = table.map(({ client = '' }) => ({ client, version: dependencies[client] }))
  expect(clients.length).toBeGreaterThan(1)
  expect(table).toMatchObject(clients)
})
