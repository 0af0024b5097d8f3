import { z } from 'zod'
import { entriesOf } from './entries.ts'

/** Metadata as its author wrote it, without the engine's defaults, which an export must not contain. */
export const MetadataDocument = z.looseObject({})
/** The type of a whole metadata document. */
export type MetadataDocument = z.infer<typeof MetadataDocument>

/** Changes a copy of a document according to a command's arguments. Throws to reject the arguments. */
export type DocumentEdit = (document: MetadataDocument, args: unknown) => void

/** The metadata of a new engine: its database as the source `default`, without tracked objects. */
export const INITIAL_DOCUMENT: MetadataDocument = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [],
      configuration: {
        connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } },
      },
    },
  ],
}

/** Returns an empty document with only the connection of the source `default`, if there is one. */
export function createEmptyDocument(document: MetadataDocument): MetadataDocument {
  const sources = entriesOf(document, 'sources').filter(({ name }) => name === 'default')
  return {
    version: 3,
    sources: sources.map(({ name, kind, configuration }) => ({
      name,
      kind,
      tables: [],
      configuration,
    })),
  }
}
