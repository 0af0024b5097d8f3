import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate, loadCodegenConfig } from '@graphql-codegen/cli'
import { startPostgres } from '../local/postgres/embedded-postgres.ts'
import { freePort } from '../local/process/free-port.ts'
import { temporaryFolder } from '../local/process/temporary-folder.ts'
import { exitOnSignals } from '../packages/platform/processes/exit-on-signals.ts'
import { startServerProcess } from '../packages/platform/processes/server-process.ts'
import { SCHEMAS, schemaOfRole } from './schema-of-role.ts'

/** `npm run codegen`: writes the GraphQL schemas of hasura/, then the types of the services' and the portal's operations. */
exitOnSignals()
await writeSchemas()
const { config } = await loadCodegenConfig({ configFilePath: 'codegen.yml' })
await generate({ ...config, silent: true }, true)

async function writeSchemas() {
  const folder = temporaryFolder('codegen-')
  const port = await freePort()
  const postgres = await startPostgres({ folder: join(folder, 'data'), port })
  try {
    await writeSchemasOfEngine(postgres.url, join(folder, 'engine.log'))
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function writeSchemasOfEngine(databaseUrl: string, logFile: string) {
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const adminSecret = 'for the few seconds that this engine runs'
  const engine = await startServerProcess({
    name: 'The GraphQL engine',
    entry: 'packages/engine/server.ts',
    env: {
      HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
      HASURA_GRAPHQL_MIGRATIONS_DIR: 'hasura/migrations',
      HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
      WEBHOOKS_URL: 'http://127.0.0.1:9',
      INTERNAL_AUTHORIZATION: 'Bearer none',
    },
    logFile,
    healthUrl: `${endpoint}/healthz`,
    onEnd: (error) => console.error(error.message),
  })
  try {
    for (const { role, file } of SCHEMAS)
      writeFileSync(file, await schemaOfRole({ endpoint, adminSecret, role }))
  } finally {
    await engine.stop()
  }
}
