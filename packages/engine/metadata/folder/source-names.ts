import { z } from 'zod'
import { readMetadataDocument } from './read-metadata-folder.ts'

/**
 * Returns the names of the PostgreSQL sources in a metadata folder; only `default` if there are none. The folders of
 * migrations and seeds have the same names.
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
