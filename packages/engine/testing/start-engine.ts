import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { readConfig } from '../config/config.ts'
import { type Project, readProject } from '../project/project.ts'
import { serveEngine } from '../server/serve-engine.ts'
import { createIsolatedDatabases, type IsolatedDatabases } from './isolated-database.ts'
import { shareDatabase } from './shared-database.ts'
import { connectTestEngine, type TestEngine } from './test-engine.ts'

/** What a test may choose. */
export type EngineOptions = {
  /** The folder of a Hasura project, with config.yaml; the one that the process works in, if not given. */
  project?: string
  /** A PostgreSQL whose role may make databases; if not given, one is started for this process. */
  databaseUrl?: string
  /** Settings (`HASURA_GRAPHQL_…`) and variables that the metadata names, over those of the process and of `.env`. */
  environment?: Readonly<Record<string, string>>
  /** Whether the project's seeds are there; true, if not given. */
  seeds?: boolean
}

/**
 * Starts an engine on a copy of a database that has the project's migrations and seeds, with the project's metadata. A copy
 * takes some milliseconds, so that each test may have its own.
 *
 * @throws Error with what is inconsistent, or with what keeps it from starting
 */
export async function startEngine(options: EngineOptions = {}): Promise<TestEngine> {
  const project = await readProject({ project: options.project }, process.env)
  const endings: (() => unknown)[] = []
  const close = async () => {
    while (endings.length > 0) await endings.pop()?.()
  }
  try {
    const serverUrl = options.databaseUrl ?? (await borrowServer(endings))
    const databases = await createIsolatedDatabases(serverUrl, project, {
      hasSeeds: options.seeds ?? true,
    })
    endings.push(databases.drop)
    const adminSecret = randomBytes(24).toString('base64url')
    const environment = testEnvironment(project, { options, adminSecret, databases })
    const engine = await serveEngine(readConfig(environment), pino({ level: 'silent' }))
    endings.push(engine.stop)
    requireConsistent(engine.inconsistencies())
    return connectTestEngine({ port: engine.port, databaseUrl: databases.url, adminSecret, close })
  } catch (error) {
    await close()
    throw error
  }
}

async function borrowServer(endings: (() => unknown)[]): Promise<string> {
  const { url, release } = await shareDatabase()
  endings.push(release)
  return url
}

type Start = { options: EngineOptions; adminSecret: string; databases: IsolatedDatabases }

function testEnvironment(project: Project, { options, adminSecret, databases }: Start) {
  return {
    ...project.environment,
    ...databases.variables,
    HASURA_GRAPHQL_PG_CONNECTIONS: '5',
    ...options.environment,
    HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
    HASURA_GRAPHQL_DATABASE_URL: databases.url,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: databases.url,
    HASURA_GRAPHQL_METADATA_DIR: project.metadataDir,
    // The database has them already.
    HASURA_GRAPHQL_MIGRATIONS_DIR: undefined,
    HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
    HASURA_GRAPHQL_SERVER_PORT: '0',
  }
}

function requireConsistent(inconsistencies: readonly { name: string; reason: string }[]) {
  if (inconsistencies.length === 0) return
  const lines = inconsistencies.map(({ name, reason }) => `  ${name}: ${reason}`)
  throw new Error(`The metadata is inconsistent:\n${lines.join('\n')}`)
}
