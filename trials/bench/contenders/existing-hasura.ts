import { z } from 'zod'
import { readMetadataDocument } from '../../../packages/engine/metadata/folder/read-metadata-folder.ts'
import { connectToServer } from '../../../packages/engine/project/server-connection.ts'

/** A running Hasura. The measurement may replace its metadata for a time. */
export type ExistingHasura = { endpoint: string; adminSecret: string }

/** Reads the address and secret of a running Hasura from the environment; null if a variable is missing. */
export function readExistingHasura({
  HASURA_GRAPHQL_ENDPOINT: endpoint,
  HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
}: NodeJS.ProcessEnv): ExistingHasura | null {
  return endpoint && adminSecret ? { endpoint, adminSecret } : null
}

/**
 * Makes Hasura serve the measurement's database. Hasura must be able to connect to it.
 *
 * @returns the Hasura, and `restoreMetadata`, which restores its previous metadata
 */
export async function switchDatabase(hasura: ExistingHasura, databaseUrl: string) {
  const server = connectToServer(hasura)
  const savedMetadata = await server.metadata('export_metadata')
  const metadata = setDatabase(await readMetadataDocument('trials/bench/metadata'), databaseUrl)
  await server.metadata('replace_metadata', metadata)
  return {
    ...hasura,
    restoreMetadata: async () => {
      await server.metadata('replace_metadata', Metadata.parse(savedMetadata))
    },
  }
}

const Metadata = z.looseObject({ sources: z.array(z.looseObject({})) })

function setDatabase(document: Record<string, unknown>, databaseUrl: string) {
  const { sources, ...otherMetadata } = Metadata.parse(document)
  const configuration = { connection_info: { database_url: databaseUrl } }
  return { ...otherMetadata, sources: sources.map((source) => ({ ...source, configuration })) }
}
