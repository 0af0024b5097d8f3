import { z } from 'zod'
import { readMetadataDocument } from '../../../packages/engine/metadata/folder/read-metadata-folder.ts'
import { connectToServer } from '../../../packages/engine/project/server-connection.ts'

/** A Hasura that runs already, and may be given other metadata for as long as it is measured. */
export type ExistingHasura = { endpoint: string; adminSecret: string }

/** The Hasura that the variables of the tests on a real Hasura name; null if they name none. */
export function readExistingHasura({
  HASURA_GRAPHQL_ENDPOINT: endpoint,
  HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
}: NodeJS.ProcessEnv): ExistingHasura | null {
  return endpoint && adminSecret ? { endpoint, adminSecret } : null
}

/**
 * Has it serve a database with the tables of the measurement, which it must be able to reach.
 *
 * @returns also how it gets back the metadata that it had
 */
export async function switchDatabase(hasura: ExistingHasura, databaseUrl: string) {
  const server = connectToServer(hasura)
  const savedMetadata = await server.metadata('export_metadata')
  const metadata = setDatabase(await readMetadataDocument('trials/bench/metadata'), databaseUrl)
  await server.metadata('replace_metadata', metadata)
  return {
    ...hasura,
    takeBack: async () => {
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
