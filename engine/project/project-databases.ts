import { z } from 'zod'
import { readMetadataDocument } from '../metadata/read-metadata-folder.ts'
import { sourceNames } from '../metadata/source-names.ts'
import { type Project, ProjectError } from './project.ts'

/** A database that a project needs: the sources that are in it, and the variable that they take its address from, if any. */
export type ProjectDatabase = { variable: string | null; sources: readonly string[] }

/** The databases of a project: the main one, which also has what names no variable, and the others. */
type ProjectDatabases = { main: ProjectDatabase; others: readonly ProjectDatabase[] }

/** Which databases the sources of a project's metadata need. Sources that name the same variable are in one. */
export async function projectDatabases({
  metadataDir,
}: Pick<Project, 'metadataDir'>): Promise<ProjectDatabases> {
  const addresses = await readAddresses(metadataDir)
  const variables = new Map(
    addresses.map(({ name, address }) => {
      const variable = Reference.safeParse(address).data?.from_env ?? null
      return [name, variable === METADATA_VARIABLE ? null : variable]
    }),
  )
  const names = await sourceNames(metadataDir)
  const byVariable = Map.groupBy(names, (name) => variables.get(name) ?? null)
  const named = [...byVariable.keys()].filter((variable) => variable !== null)
  const variable = named.find((one) => one === MAIN_VARIABLE) ?? named[0] ?? null
  const sourcesOf = (one: string | null) => byVariable.get(one) ?? []
  return {
    main: { variable, sources: [...new Set([...sourcesOf(variable), ...sourcesOf(null)])] },
    others: named
      .filter((one) => one !== variable)
      .map((one) => ({ variable: one, sources: sourcesOf(one) })),
  }
}

/** The variable that Hasura itself reads. */
const MAIN_VARIABLE = 'HASURA_GRAPHQL_DATABASE_URL'

/** That of the metadata's database, which is always the main one. */
const METADATA_VARIABLE = 'HASURA_GRAPHQL_METADATA_DATABASE_URL'

/**
 * Refuses a project whose metadata says itself where a database is: it would be worked on there, perhaps on the one that
 * customers use, and not on the one that was made for this.
 *
 * @throws ProjectError
 */
export async function refuseWrittenAddresses({
  metadataDir,
}: Pick<Project, 'metadataDir'>): Promise<void> {
  const addresses = await readAddresses(metadataDir)
  const written = addresses.find(
    ({ address }) => address !== undefined && !Reference.safeParse(address).success,
  )
  if (written)
    throw new ProjectError(
      `${metadataDir}: the address of the database of the source ${written.name} is written out in the metadata, so that no other one can be given. Write a variable there, such as database_url: {from_env: PG_DATABASE_URL}, and set it where the project is deployed.`,
    )
}

/** What the metadata says of each source: where its database is. */
async function readAddresses(metadataDir: string) {
  const { sources } = await readMetadataDocument(metadataDir)
  return Sources.parse(sources).map(({ name, configuration }) => ({
    name,
    address: configuration?.connection_info?.database_url,
  }))
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
