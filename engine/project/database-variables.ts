import { z } from 'zod'
import { readMetadataDocument } from '../metadata/read-metadata-folder.ts'
import type { Project } from './project.ts'

/** The variables that the sources of a project's metadata take their address from. */
export async function databaseVariables({ metadataDir }: Project): Promise<string[]> {
  const { sources } = await readMetadataDocument(metadataDir)
  return Sources.parse(sources).flatMap(
    ({ configuration }) => configuration?.connection_info?.database_url.from_env ?? [],
  )
}

const Sources = z
  .array(
    z.looseObject({
      configuration: z
        .looseObject({
          connection_info: z
            .looseObject({ database_url: z.looseObject({ from_env: z.string() }) })
            .optional()
            .catch(undefined),
        })
        .optional(),
    }),
  )
  .catch([])
