import type { ClientBase } from 'pg'

/** Reads the version of the stored metadata; 0 if no metadata is stored. */
export async function latestVersion(client: Pick<ClientBase, 'query'>): Promise<number> {
  const { rows } = await client.query<{ resource_version: number }>(
    'select resource_version from hdb_catalog.hdb_metadata where id = 1',
  )
  return rows[0]?.resource_version ?? 0
}
