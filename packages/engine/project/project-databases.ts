import { z } from 'zod'
import { present } from '../../../lib/runtime/present.ts'
import { readMetadataDocument } from '../metadata/folder/read-metadata-folder.ts'
import { sourceNames } from '../metadata/folder/source-names.ts'
import type { Project } from './project.ts'

/** A database that a project needs, and the sources that are in it. */
export type ProjectDatabase = {
  /** The variable that they take its address from, if any. */
  variable: string | null
  /** Whether the metadata has the address itself. */
  isWritten: boolean
  sources: readonly string[]
}

/** The databases of a project: the main one, which also has the sources without an address, and the others. */
type ProjectDatabases = { main: ProjectDatabase; others: readonly ProjectDatabase[] }

/** Which databases the sources of a project's metadata need. Sources that name the same variable, or address, are in one. */
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
  const without = places.filter(({ variable, address }) => (variable ?? address) === null)
  return {
    main: { ...main, sources: [...main.sources, ...without.map(({ name }) => name)] },
    others: databases.filter((one) => one !== main),
  }
}

/** The variable that Hasura itself reads. */
const MAIN_VARIABLE = 'HASURA_GRAPHQL_DATABASE_URL'

/** That of the metadata's database, which is always the main one. */
const METADATA_VARIABLE = 'HASURA_GRAPHQL_METADATA_DATABASE_URL'

const NOTHING: ProjectDatabase = { variable: null, isWritten: false, sources: [] }

/** A source, and either the variable or the address of its database, as JSON. */
type Place = { name: string; variable: string | null; address: string | null }

function toDatabase(group: readonly Place[]): ProjectDatabase {
  const { variable } = present(group[0], 'a source of a group')
  return { variable, isWritten: variable === null, sources: group.map(({ name }) => name) }
}

/** What the metadata says of each source: where its database is. */
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
 * The variables with which an engine finds the databases that were made for a project: those which the metadata names, and
 * `ENGINE_SOURCE_URLS` for addresses that it has itself, which may be those of the databases that customers use.
 *
 * @param chosen addresses that somebody gives, by the names of sources: they win
 */
export function databaseVariables(
  made: readonly (ProjectDatabase & { url: string })[],
  chosen: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const written = made.filter(({ isWritten }) => isWritten)
  const named = made.flatMap(({ variable, url }) => (variable === null ? [] : [[variable, url]]))
  const urls = written.flatMap(({ sources, url }) => sources.map((name) => [name, url]))
  return {
    ...Object.fromEntries(named),
    // Also where it names none: another value of it would lead away from those that were made.
    ENGINE_SOURCE_URLS: JSON.stringify({ ...Object.fromEntries(urls), ...chosen }),
  }
}
