import { databaseVariables } from '../../project/database-variables.ts'
import type { Project } from '../../project/project.ts'
import type { DevDatabase } from './dev-database.ts'

type Variables = Readonly<Record<string, string | undefined>>

type Settings = {
  database: DevDatabase
  /** The variables of the process, which somebody has set for this start. */
  variables: Variables
  host: string
  /** The port that was typed. */
  port: string | undefined
}

/**
 * The settings and variables of an engine that a project is developed on: the project's own, and the database's address in
 * each variable that a source of the metadata takes it from.
 */
export async function devEnvironment(project: Project, settings: Settings): Promise<Variables> {
  const { database, variables, host, port } = settings
  const named = await databaseVariables(project)
  // The addresses in `.env` are often those of another place, such as a network of containers.
  const given = database.isEmbedded ? variables : project.environment
  const addresses = named.filter((name) => !given[name]).map((name) => [name, database.url])
  return {
    HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    HASURA_GRAPHQL_DEV_MODE: 'true',
    ...project.environment,
    ...Object.fromEntries(addresses),
    ...(project.adminSecret && { HASURA_GRAPHQL_ADMIN_SECRET: project.adminSecret }),
    HASURA_GRAPHQL_DATABASE_URL: database.url,
    // A source of the metadata may be named by this one, too.
    HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
    HASURA_GRAPHQL_METADATA_DIR: project.metadataDir,
    HASURA_GRAPHQL_MIGRATIONS_DIR: project.migrationsDir,
    HASURA_GRAPHQL_SERVER_HOST: host,
    ...(port && { HASURA_GRAPHQL_SERVER_PORT: port }),
  }
}
