import { readFileSync } from 'node:fs'
import { generate, loadCodegenConfig } from '@graphql-codegen/cli'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveEngineHere } from '../../packages/engine/test/support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../../packages/engine/test/support/start-engine.ts'
import { SCHEMAS, schemaOfRole } from '../../scripts/schema-of-role.ts'
import { type Database, database } from '../support/database.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database('platform')
  engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
    WEBHOOKS_URL: 'http://127.0.0.1:9',
    INTERNAL_AUTHORIZATION: 'Bearer none',
  })
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

test('the metadata is consistent with the migrations', async () => {
  const reply = await engine.post('/v1/metadata', { type: 'get_inconsistent_metadata', args: {} })
  expect(reply.body).toEqual({ is_consistent: true, inconsistent_objects: [] })
})

test.each(SCHEMAS)(
  '$file is the schema that the engine serves to $role (else: npm run codegen)',
  async ({ role, file }) => {
    const schema = await schemaOfRole({ endpoint: engine.url, adminSecret: ADMIN_SECRET, role })
    expect(schema).toBe(readFileSync(file, 'utf8'))
  },
)

test('every generated SDK is up to date (else: npm run codegen)', async () => {
  const { config } = await loadCodegenConfig({ configFilePath: 'codegen.yml' })
  const outputs = await generate({ ...config, silent: true }, false)
  expect(outputs).not.toHaveLength(0)
  for (const { filename, content } of outputs) expect(content).toBe(readFileSync(filename, 'utf8'))
})
