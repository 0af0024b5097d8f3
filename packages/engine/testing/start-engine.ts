import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { readConfig } from '../config/config.ts'
import { explainStartFailure } from '../project/explain-start-failure.ts'
import { type Project, readProject } from '../project/project.ts'
import { serveEngine } from '../server/serve-engine.ts'
import { requireKnownOptions, warnOfIgnoredVariables } from './check-options.ts'
import { createIsolatedDatabases, type IsolatedDatabases } from './isolated-database.ts'
import { shareDatabase } from './shared-database.ts'
import { connectTestEngine, type TestEngine } from './test-engine.ts'

/** The options of a test's engine. */
export type EngineOptions = {
  /** The folder of a Hasura project, with config.yaml; default: the current folder. */
  project?: string
  /** The address of a PostgreSQL, with a role that may create databases; default: this process starts one. */
  databaseUrl?: string
  /**
   * Settings (`HASURA_GRAPHQL_…`) and variables for the metadata. They win over the process's variables and `.env`, but not
   * over the settings that the test's engine needs: its databases, folders, address and admin secret.
   */
  environment?: Readonly<Record<string, string>>
  /** True if the database gets the project's seeds; default: true. */
  seeds?: boolean
}

/**
 * Starts an engine with the project's metadata, on a copy of a database with the project's migrations and seeds. A copy takes
 * some milliseconds, so each test can start an engine.
 *
 * @throws TypeError for an unknown option
 * @throws Error with the reason why it cannot start, or with the inconsistent objects of the metadata
 */
export async function startEngine(options: EngineOptions = {}): Promise<TestEngine> {
  requireKnownOptions(options)
  const project = await readProject({ project: options.project }, process.env)
  const cleanups: (() => unknown)[] = []
  const close = async () => {
    while (cleanups.length > 0) await cleanups.pop()?.()
  }
  try {
    const serverUrl = options.databaseUrl ?? (await borrowServer(cleanups))
    const databases = await createIsolatedDatabases(serverUrl, project, {
      hasSeeds: options.seeds ?? true,
    })
    cleanups.push(databases.drop)
    const adminSecret = randomBytes(24).toString('base64url')
    const environment = testEnvironment(project, { options, adminSecret, databases })
    await warnOfIgnoredVariables(environment, project)
    const engine = await serveEngine(readConfig(environment), pino({ level: 'silent' }))
    cleanups.push(engine.stop)
    requireConsistent(engine.inconsistencies())
    return connectTestEngine({ port: engine.port, databaseUrl: databases.url, adminSecret, close })
  } catch (error) {
    await close()
    throw options.databaseUrl === undefined ? error : explainStartFailure(error, REMEDIES)
  }
}

const REMEDIES = {
  database:
    'Set the option databaseUrl to the address of a PostgreSQL that runs. Without this option startEngine starts one.',
  address: '',
  extension: 'Set the option databaseUrl to the address of a PostgreSQL that has it.',
}

async function borrowServer(cleanups: (() => unknown)[]): Promise<string> {
  const { url, release } = await shareDatabase()
  cleanups.push(release)
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
    // The copy already has the migrations.
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
