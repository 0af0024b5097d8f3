import { z } from 'zod'
import { readMetadataDocument } from './read-metadata-folder.ts'

/**
 * Returns the names of the PostgreSQL sources in a metadata folder. Returns only `default` if there are none, or no
 * folder. The folders with a source's migrations and seeds have the source's name.
 *
 * @throws MetadataError
 */
export async function sourceNames(metadataDir: string | null): Promise<readonly string[]> {
  if (metadataDir === null) return DEFAULT
  const { sources } = await readMetadataDocument(metadataDir)
  const postgresSources = Sources.parse(sources).filter(({ kind }) => /^(postgres|pg)$/.test(kind))
  return postgresSources.length > 0 ? postgresSources.map(({ name }) => name) : DEFAULT
}

const DEFAULT = ['default'] as const

const Sources = z
  .array(z.looseObject({ name: z.string(), kind: z.string().default('postgres') }))
  .catch([])
