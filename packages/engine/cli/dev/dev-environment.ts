import { z } from 'zod'
import { present } from '../../../../lib/runtime/present.ts'
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
  /** The port that was typed. */
  port: string | undefined
}

/**
 * The settings and variables of an engine that a project is developed on: the project's own, and in each variable that a source of
 * the metadata takes its address from, that of the database, or of another one beside it.
 */
export async function devEnvironment(project: Project, settings: Settings): Promise<Variables> {
  const { database, variables, host, port } = settings
  // The addresses in `.env` are often those of another place, such as a network of containers.
  const given = database.isEmbedded ? variables : project.environment
  return {
    HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    HASURA_GRAPHQL_DEV_MODE: 'true',
    ...project.environment,
    ...(await missingAddresses(project, database, given)),
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

/**
 * Variables for the databases whose address is not given, or is written in the metadata. Where no other database can be made, only
 * the main one has an address.
 */
async function missingAddresses(project: Project, database: DevDatabase, given: Variables) {
  const { main, others } = await projectDatabases(project)
  const chosen = sourceUrls(given)
  const isMissing = ({ variable, sources }: ProjectDatabase) =>
    (variable === null || !given[variable]) && !sources.every((name) => Object.hasOwn(chosen, name))
  const made = isMissing(main) ? [{ ...main, url: database.url }] : []
  for (const other of others.filter(isMissing)) {
    const url = await database.beside(databaseName(other))
    if (url !== null) made.push({ ...other, url })
  }
  return databaseVariables(made, chosen)
}

/** The variables that the sources of the metadata take their addresses from, as a text. */
export async function addressVariables(project: Project): Promise<string> {
  const { main, others } = await projectDatabases(project)
  return [main, ...others].map(({ variable }) => variable ?? '').join(' ')
}

/** A source whose database is not made here, and the variable of the process that says where it is. */
type SourceElsewhere = { source: string; variable: string }

/**
 * The sources that the variables of the process lead away from a database that is started here.
 *
 * @throws Error where ENGINE_SOURCE_URLS has no addresses
 */
export async function sourcesElsewhere(
  project: Project,
  variables: Variables,
): Promise<SourceElsewhere[]> {
  const { main, others } = await projectDatabases(project)
  const chosen = sourceUrls(variables)
  return [main, ...others].flatMap(({ variable, sources }) =>
    sources.flatMap((source) => {
      if (Object.hasOwn(chosen, source)) return [{ source, variable: 'ENGINE_SOURCE_URLS' }]
      return variable !== null && variables[variable] ? [{ source, variable }] : []
    }),
  )
}

/** The addresses that ENGINE_SOURCE_URLS has, by the names of sources. @throws Error where it has no addresses */
function sourceUrls({ ENGINE_SOURCE_URLS }: Variables): Readonly<Record<string, string>> {
  const urls = databasesSetting().safeParse(ENGINE_SOURCE_URLS || '{}')
  if (urls.success) return urls.data
  throw new Error(`ENGINE_SOURCE_URLS: ${z.prettifyError(urls.error)}`)
}

/** That of its first source, unless PostgreSQL has a database of that name from the start. */
function databaseName({ sources }: ProjectDatabase): string {
  const source = present(sources[0], 'a source of another database')
  return /^(postgres|template0|template1)$/.test(source) ? `${source}_source` : source
}
