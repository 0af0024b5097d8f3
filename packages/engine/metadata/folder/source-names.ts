import { z } from 'zod'
import { readMetadataDocument } from './read-metadata-folder.ts'

/**
 * The names of the PostgreSQL sources that a metadata folder has, which are also those of their folders of migrations and seeds;
 * `default` where it has none.
 *
 * @throws MetadataError
 */
export async function sourceNames(metadataDir: string | null): Promise<readonly string[]> {
  if (metadataDir === null) return DEFAULT
  const { sources } = await readMetadataDocument(metadataDir)
  const found = Sources.parse(sources).filter(({ kind }) => /^(postgres|pg)$/.test(kind))
  return found.length > 0 ? found.map(({ name }) => name) : DEFAULT
}

const DEFAULT = ['default'] as const

const Sources = z
  .array(z.looseObject({ name: z.string(), kind: z.string().default('postgres') }))
  .catch([])
