import { z } from 'zod'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { databasesSetting } from '../../config/setting.ts'
import type { Project } from '../../project/project.ts'
import {
  databaseVariables,
  type ProjectDatabase,
  projectDatabases,
} from '../../project/project-databases.ts'
import type { DevDatabase } from './dev-database.ts'

/** Variables of a process, by name. */
export type Variables = Readonly<Record<string, string | undefined>>

type Settings = {
  database: DevDatabase
  /** The variables of the shell that the project may read. */
  variables: Variables
  host: string
  /** The option `--port`. */
  port: string | undefined
}

/**
 * Returns the variables of the engine that `dev` starts: the project's, with the address of a database in each variable that a
 * source takes its address from. All but the main database are further databases of the same server.
 */
export async function devEnvironment(project: Project, settings: Settings): Promise<Variables> {
  const { database, variables, host, port } = settings
  // Addresses in `.env` are often for another place, such as a network of containers, so dev's own database ignores them.
  const urlVariables = database.isEmbedded ? variables : project.environment
  return {
    HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    HASURA_GRAPHQL_DEV_MODE: 'true',
    ...project.environment,
    ...(await missingAddresses(project, database, urlVariables)),
    ...(project.adminSecret && { HASURA_GRAPHQL_ADMIN_SECRET: project.adminSecret }),
    HASURA_GRAPHQL_DATABASE_URL: database.url,
    // A source of the metadata may take its address from this variable, too.
    HASURA_GRAPHQL_METADATA_DATABASE_URL: database.url,
    HASURA_GRAPHQL_METADATA_DIR: project.metadataDir,
    HASURA_GRAPHQL_MIGRATIONS_DIR: project.migrationsDir,
    HASURA_GRAPHQL_SERVER_HOST: host,
    ...(port && { HASURA_GRAPHQL_SERVER_PORT: port }),
  }
}

/**
 * Returns variables for the databases with a missing address, or an address written in the metadata. If no further database can be
 * created, only the main database gets an address.
 */
async function missingAddresses(project: Project, database: DevDatabase, urlVariables: Variables) {
  const { main, otherDatabases } = await projectDatabases(project)
  const chosenUrls = sourceUrls(urlVariables)
  const isMissing = ({ variable, sources }: ProjectDatabase) =>
    (variable === null || !urlVariables[variable]) &&
    !sources.every((name) => Object.hasOwn(chosenUrls, name))
  const databases = isMissing(main) ? [{ ...main, url: database.url }] : []
  for (const otherDatabase of otherDatabases.filter(isMissing)) {
    const url = await database.siblingDatabase(databaseName(otherDatabase))
    if (url !== null) databases.push({ ...otherDatabase, url })
  }
  return databaseVariables(databases, chosenUrls)
}

/** Lists, as a text, the variables that the sources of the metadata take their addresses from. */
export async function addressVariables(project: Project): Promise<string> {
  const { main, otherDatabases } = await projectDatabases(project)
  return [main, ...otherDatabases].map(({ variable }) => variable ?? '').join(' ')
}

/** A source, and the variable of the process with its address. */
type SourceElsewhere = { source: string; variable: string }

/**
 * Returns the sources that do not use dev's own database, because a variable of the process has their address.
 *
 * @throws Error if ENGINE_SOURCE_URLS is not a map of addresses
 */
export async function sourcesElsewhere(
  project: Project,
  variables: Variables,
): Promise<SourceElsewhere[]> {
  const { main, otherDatabases } = await projectDatabases(project)
  const chosenUrls = sourceUrls(variables)
  return [main, ...otherDatabases].flatMap(({ variable, sources }) =>
    sources.flatMap((source) => {
      if (Object.hasOwn(chosenUrls, source)) return [{ source, variable: 'ENGINE_SOURCE_URLS' }]
      return variable !== null && variables[variable] ? [{ source, variable }] : []
    }),
  )
}

/** Reads the addresses in ENGINE_SOURCE_URLS, by source. @throws Error if it is not a map of addresses */
function sourceUrls({ ENGINE_SOURCE_URLS }: Variables): Readonly<Record<string, string>> {
  const urls = databasesSetting().safeParse(ENGINE_SOURCE_URLS || '{}')
  if (urls.success) return urls.data
  throw new Error(`ENGINE_SOURCE_URLS: ${z.prettifyError(urls.error)}`)
}

/** Returns the name of the first source, changed if every PostgreSQL has a database of this name. */
function databaseName({ sources }: ProjectDatabase): string {
  const source = requireValue(sources[0], 'a source of another database')
  return /^(postgres|template0|template1)$/.test(source) ? `${source}_source` : source
}
