import { z } from 'zod'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { readMetadataDocument } from '../metadata/folder/read-metadata-folder.ts'
import { sourceNames } from '../metadata/folder/source-names.ts'
import type { Project } from './project.ts'

/** A database that a project needs, and the sources that are in it. */
export type ProjectDatabase = {
  /** The variable with the database's address; null if the metadata names no variable. */
  variable: string | null
  /** True if the metadata contains the address itself. */
  isWritten: boolean
  sources: readonly string[]
}

/** The databases of a project. Sources without an address, or in the metadata's database, are in the main database. */
type ProjectDatabases = { main: ProjectDatabase; otherDatabases: readonly ProjectDatabase[] }

/** Returns the databases that a project's sources need. Sources with the same variable or address share a database. */
export async function projectDatabases({
  metadataDir,
}: Pick<Project, 'metadataDir'>): Promise<ProjectDatabases> {
  const places = await readPlaces(metadataDir)
  const databases = [...Map.groupBy(places, ({ variable, address }) => variable ?? address)]
    .filter(([place]) => place !== null)
    .map(([, group]) => toDatabase(group))
  const main =
    databases.find(({ variable }) => variable === MAIN_VARIABLE) ??
    databases.find(({ variable }) => variable !== null) ??
    databases[0] ??
    NOTHING
  const unplaced = places.filter(({ variable, address }) => (variable ?? address) === null)
  return {
    main: { ...main, sources: [...main.sources, ...unplaced.map(({ name }) => name)] },
    otherDatabases: databases.filter((one) => one !== main),
  }
}

/** The variable that Hasura reads for its default database. */
const MAIN_VARIABLE = 'HASURA_GRAPHQL_DATABASE_URL'

/** The variable with the address of the metadata's database. In dev and in tests, this is always the main database. */
const METADATA_VARIABLE = 'HASURA_GRAPHQL_METADATA_DATABASE_URL'

const NOTHING: ProjectDatabase = { variable: null, isWritten: false, sources: [] }

/** A source, and either the variable with its database's address, or the address as JSON. Both are null for the main database. */
type Place = { name: string; variable: string | null; address: string | null }

function toDatabase(group: readonly Place[]): ProjectDatabase {
  const { variable } = requireValue(group[0], 'a source of a group')
  return { variable, isWritten: variable === null, sources: group.map(({ name }) => name) }
}

/** Reads each source's variable or address from the metadata. */
async function readPlaces(metadataDir: string): Promise<Place[]> {
  const { sources } = await readMetadataDocument(metadataDir)
  const addresses = new Map(
    Sources.parse(sources).map(({ name, configuration }) => [
      name,
      configuration?.connection_info?.database_url,
    ]),
  )
  return (await sourceNames(metadataDir)).map((name) => {
    const address = addresses.get(name)
    const variable = Reference.safeParse(address).data?.from_env
    if (address === undefined || variable === METADATA_VARIABLE)
      return { name, variable: null, address: null }
    return variable === undefined
      ? { name, variable: null, address: JSON.stringify(address) }
      : { name, variable, address: null }
  })
}

const Reference = z.looseObject({ from_env: z.string() })

const Sources = z
  .array(
    z.looseObject({
      name: z.string().default('default'),
      configuration: z
        .looseObject({
          connection_info: z
            .looseObject({ database_url: z.unknown().optional() })
            .optional()
            .catch(undefined),
        })
        .optional()
        .catch(undefined),
    }),
  )
  .catch([])

/**
 * Returns the variables that point an engine to databases created for a project: the variables that the metadata names, and
 * `ENGINE_SOURCE_URLS`. `ENGINE_SOURCE_URLS` replaces addresses written in the metadata, because these may be addresses of
 * production databases.
 *
 * @param chosenUrls addresses by source; they win over the addresses of `databases`
 */
export function databaseVariables(
  databases: readonly (ProjectDatabase & { url: string })[],
  chosenUrls: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const variables = databases.flatMap(({ variable, url }) =>
    variable === null ? [] : [[variable, url]],
  )
  const urls = databases
    .filter(({ isWritten }) => isWritten)
    .flatMap(({ sources, url }) => sources.map((name) => [name, url]))
  return {
    ...Object.fromEntries(variables),
    // Set even if there are no addresses. Otherwise the process's own value would apply, and point to other databases.
    ENGINE_SOURCE_URLS: JSON.stringify({ ...Object.fromEntries(urls), ...chosenUrls }),
  }
}
