import { firstIssue } from '../../../../lib/runtime/parse-in-words.ts'
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
 * Returns the variables of the engine that `dev` starts: the project's variables, and variables for addresses that are missing.
 * A missing address of the main database is the address of `database`. If dev started the server, each other missing address is
 * a further database on it.
 */
export async function devEnvironment(project: Project, settings: Settings): Promise<Variables> {
  const { database, variables, host, port } = settings
  // Addresses in `.env` often work only elsewhere, for example in a network of containers. So dev ignores these addresses if it
  // starts the database.
  const urlVariables = database.isEmbedded ? variables : project.environment
  return {
    HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    HASURA_GRAPHQL_DEV_MODE: 'true',
    // Without a line for each request, a change of the project stays visible.
    HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'startup',
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
 * Returns variables for databases without an address, and for databases with their address in the metadata. If dev cannot
 * create further databases, only the main database gets an address.
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

/** Returns, as one text, the names of the variables that the metadata's sources take their addresses from. */
export async function addressVariables(project: Project): Promise<string> {
  const { main, otherDatabases } = await projectDatabases(project)
  return [main, ...otherDatabases].map(({ variable }) => variable ?? '').join(' ')
}

/** A source, and the name of the variable that has its address. */
type SourceElsewhere = { source: string; variable: string }

/**
 * Returns the sources that do not use dev's own database, because a variable gives them another address.
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
  throw new Error(`ENGINE_SOURCE_URLS ${firstIssue(urls.error).message}.`)
}

/**
 * Returns the database's name: the name of its first source, with a suffix if every PostgreSQL server has a database of this
 * name.
 */
function databaseName({ sources }: ProjectDatabase): string {
  const source = requireValue(sources[0], 'a source of another database')
  return /^(postgres|template0|template1)$/.test(source) ? `${source}_source` : source
}
