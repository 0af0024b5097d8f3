import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLogger } from '../../../../lib/runtime/log/log.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { readConfig } from '../../config/config.ts'
import { checkMetadata } from '../../metadata/folder/read-metadata-folder.ts'
import { openSources } from '../../runtime/database/sources.ts'
import { source } from '../support/sources/two-sources.ts'
import { engineVariables } from '../support/start-engine.ts'

let shop: Database
let stock: Database

beforeAll(async () => {
  ;[shop, stock] = await Promise.all([database(), database()])
})
afterAll(async () => {
  vi.useRealTimers()
  await stock?.drop()
  await shop?.drop()
})

const sourcesOf = (...sources: object[]) => checkMetadata('.', { version: 3, sources }).metadata

test('an engine that stops leaves no timer for retired connections', async () => {
  const config = readConfig(engineVariables(shop.url, '0', { STOCK_DATABASE: stock.url }))
  const metadata = sourcesOf(source('shop', []), source('stock', []))
  const sources = await openSources(config, createLogger('engine', 'silent'), metadata)
  expect([...(await sources.open(metadata)).keys()]).toEqual(['shop', 'stock'])
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  sources.closeUnused(new Map())
  expect(vi.getTimerCount()).toBe(1)
  await sources.close()
  expect(vi.getTimerCount()).toBe(0)
})
