import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { tablesIn } from '../support/markdown-tables.ts'

/** Addresses of the platform itself, and addresses that only browsers open. */
const NOT_OUTGOING = [
  'AUTH_URL',
  'BASE_URL',
  'DATABASE_URL',
  'GUIDE_URL',
  'HASURA_GRAPHQL_ENDPOINT',
  'HASURA_GRAPHQL_READ_ENDPOINT',
  'MAIL_PAGE_URL',
  'PRICES_URL',
  'SIMULATOR_URL',
  'WALLET_BRIDGE_URL',
  'WALLET_LINK_URL',
]
/** Variables with addresses inside of JSON. */
const WITH_ADDRESSES = ['PAYMENT_CHAINS', 'PRICE_FEEDS']

const Compose = z.object({
  services: z.record(z.string(), z.object({ networks: z.array(z.string()).default([]) })),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) }).nullable()),
})

test('install.md lists each variable that names a server outside of the platform', () => {
  const page = readFileSync('docs/operations/install.md', 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith('Outgoing connections')) ?? ''
  const documented = tablesIn(section)
    .flat()
    .flatMap(({ variable = '' }) => (variable ? [variable] : []))
  const variables = readFileSync('.env.example', 'utf8').match(/^[A-Z_0-9]+(?==)/gm) ?? []
  const outgoing = variables.filter(
    (name) =>
      WITH_ADDRESSES.includes(name) ||
      (/_(URL|ENDPOINT)$/.test(name) && !NOT_OUTGOING.includes(name)),
  )
  expect(documented.toSorted()).toEqual(outgoing.toSorted())
})

test('Hasura and PostgreSQL are only in networks of the compose file without a way out', () => {
  const { services, networks } = Compose.parse(load(readFileSync('docker-compose.yml', 'utf8')))
  for (const name of ['hasura', 'postgres']) {
    const used = services[name]?.networks ?? []
    expect(used, name).not.toEqual([])
    expect(used.filter((network) => networks[network]?.internal !== true)).toEqual([])
  }
})
