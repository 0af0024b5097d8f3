import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate, loadCodegenConfig } from '@graphql-codegen/cli'
import { startPart } from '../platform/part.ts'
import { startPostgres } from '../platform/postgres.ts'
import { serviceSchema } from '../platform/service-schema.ts'

/** `npm run codegen`: schema.graphql from hasura/, then the services' SDK from it and the operations. */
const folder = mkdtempSync(join(tmpdir(), 'codegen-'))
const adminSecret = 'only for these few seconds'
const [postgresPort, enginePort] = [54_329, 8_089]
const postgres = await startPostgres({ folder, port: postgresPort, password: 'codegen' })
const endpoint = `http://127.0.0.1:${enginePort}`
const engine = await startPart({
  name: 'The GraphQL engine',
  entry: 'engine/server.ts',
  env: {
    HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
    HASURA_GRAPHQL_SERVER_PORT: String(enginePort),
    HASURA_GRAPHQL_DATABASE_URL: postgres.url,
    HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
    HASURA_GRAPHQL_MIGRATIONS_DIR: 'hasura/migrations',
    HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
  },
  logFile: join(folder, 'engine.log'),
  healthUrl: `${endpoint}/healthz`,
  onEnd: (error) => console.error(error.message),
})
writeFileSync('schema.graphql', await serviceSchema(endpoint, adminSecret))
const { config } = await loadCodegenConfig({ configFilePath: 'codegen.yml' })
await generate({ ...config, silent: true }, true)
await engine.stop()
await postgres.stop()
rmSync(folder, { recursive: true, force: true })
