import { z } from 'zod'
import { readMetadataDocument } from './read-metadata-folder.ts'

/**
 * The name of the source that a metadata folder has, which is also that of its folders of migrations and seeds;
 * `default` where it has none.
 *
 * @throws MetadataError
 */
export async function sourceName(metadataDir: string | null): Promise<string> {
  if (metadataDir === null) return 'default'
  const { sources } = await readMetadataDocument(metadataDir)
  return Sources.parse(sources).find(({ kind }) => /^(postgres|pg)$/.test(kind))?.name ?? 'default'
}

const Sources = z
  .array(z.looseObject({ name: z.string(), kind: z.string().default('postgres') }))
  .catch([])
