import { z } from 'zod'
import { readMetadataDocument } from '../metadata/read-metadata-folder.ts'
import { type Project, ProjectError } from './project.ts'

/** The variables that the sources of a project's metadata take their address from. */
export async function databaseVariables(project: Project): Promise<string[]> {
  const sources = await readSources(project)
  return sources.flatMap(({ address }) => {
    const reference = Reference.safeParse(address)
    return reference.success ? reference.data.from_env : []
  })
}

/**
 * Refuses a project whose metadata says itself where the database is: it would be worked on there, perhaps on the one that
 * customers use, and not on the one that was made for this.
 *
 * @throws ProjectError
 */
export async function refuseWrittenAddresses(project: Project): Promise<void> {
  const sources = await readSources(project)
  const written = sources.find(
    ({ address }) => address !== undefined && !Reference.safeParse(address).success,
  )
  if (written)
    throw new ProjectError(
      `${project.metadataDir}: the address of the database of the source ${written.name} is written out in the metadata, so that no other one can be given. Write a variable there, such as database_url: {from_env: PG_DATABASE_URL}, and set it where the project is deployed.`,
    )
}

const Reference = z.looseObject({ from_env: z.string() })

async function readSources({ metadataDir }: Project) {
  const { sources } = await readMetadataDocument(metadataDir)
  return Sources.parse(sources).map(({ name, configuration }) => ({
    name,
    address: configuration?.connection_info?.database_url,
  }))
}

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
