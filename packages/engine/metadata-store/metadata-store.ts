import type { Inconsistency } from '../compiler/model/inconsistency.ts'
import { EngineError } from '../errors.ts'
import { Metadata } from '../metadata/metadata.ts'
import { latestVersion } from '../runtime/database/metadata-version.ts'
import type { Accept, Engine } from '../runtime/engine.ts'
import type { ConsistencyRule } from './consistency-rules.ts'
import { INITIAL_DOCUMENT, MetadataDocument } from './edit/metadata-document.ts'
import { parseArgs } from './edit/parse-args.ts'
import { withHiddenTriggers } from './hidden-cron-triggers.ts'

/** The metadata, and its version: a number that each change and each `touch` increments. */
export type StoredMetadata = { document: MetadataDocument; resourceVersion: number }

/** The engine's metadata, stored in `hdb_catalog.hdb_metadata`. Changes run one at a time. */
export type MetadataStore = {
  current(): StoredMetadata
  /**
   * Replaces the newest document by the result of `edit`. After an error, the newest document stays.
   *
   * @returns the inconsistencies after the change
   * @throws parse-failed if the result is not metadata, conflict if another engine was faster, unexpected in maintenance mode.
   *   Also throws the errors of `edit` and `rule`.
   */
  change(
    edit: (document: MetadataDocument) => MetadataDocument,
    rule: ConsistencyRule,
  ): Promise<readonly Inconsistency[]>
  /** Increments the version, so that other engines with this metadata reload. Called after migrations, `run_sql` and reload commands. */
  touch(): Promise<void>
  /** Loads the changes of other engines. */
  catchUp(): Promise<void>
}

/** Opens the store. The metadata folder, if there is one, replaces the stored metadata, except hidden cron triggers. */
export async function openMetadataStore(
  engine: Engine,
  folder: MetadataDocument | null,
): Promise<MetadataStore> {
  let storedMetadata = folder ? await storeFolder(engine, folder) : await loadMetadata(engine)
  if (storedMetadata.resourceVersion > 0 && storedMetadata.document !== folder)
    await applyDocument(engine, storedMetadata.document)
  let turn: Promise<unknown> = Promise.resolve()

  async function change(
    edit: (document: MetadataDocument) => MetadataDocument,
    rule: ConsistencyRule,
  ) {
    await catchUp()
    const document = edit(storedMetadata.document)
    const before = engine.schemaCache().inconsistencies
    // The document is stored before it takes effect. Otherwise, if storing failed, a source could lack a trigger, and miss events.
    return applyDocument(engine, document, async (after) => {
      rule(after, before)
      refuseInMaintenance(engine)
      storedMetadata = await saveMetadata(engine, document, storedMetadata.resourceVersion)
    })
  }

  async function catchUp() {
    if ((await latestVersion(engine.metadataDatabase.pool)) === storedMetadata.resourceVersion)
      return
    const latest = await loadMetadata(engine)
    await applyDocument(engine, latest.document, async () => {
      storedMetadata = latest
    })
  }

  /** Increments the version. If another engine was faster, keeps the local version, so that `catchUp` loads that engine's change. */
  async function touch() {
    refuseInMaintenance(engine)
    const resourceVersion = await countUpVersion(engine)
    if (resourceVersion === storedMetadata.resourceVersion + 1)
      storedMetadata = { ...storedMetadata, resourceVersion }
  }

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = turn.then(act)
    turn = result.catch(() => {})
    return result
  }

  return {
    current: () => storedMetadata,
    change: (edit, rule) => inTurn(() => change(edit, rule)),
    touch: () => inTurn(touch),
    catchUp: () => inTurn(catchUp),
  }
}

/** @throws unexpected in maintenance mode, which allows no change of the metadata */
export function refuseInMaintenance({ config: { maintenanceMode } }: Engine): void {
  if (maintenanceMode)
    throw new EngineError('unexpected', 'metadata cannot be modified in maintenance mode')
}

async function applyDocument(
  engine: Engine,
  document: MetadataDocument,
  accept?: Accept,
): Promise<readonly Inconsistency[]> {
  const metadata = parseArgs(Metadata, document, '$.args.metadata')
  return engine.replaceMetadata(metadata, accept)
}

type VersionRow = { resource_version: number }

async function loadMetadata({ metadataDatabase: { pool } }: Engine): Promise<StoredMetadata> {
  const { rows } = await pool.query<VersionRow & { metadata: unknown }>(
    'select metadata, resource_version from hdb_catalog.hdb_metadata where id = 1',
  )
  if (!rows[0]) return { document: INITIAL_DOCUMENT, resourceVersion: 0 }
  return {
    document: MetadataDocument.parse(rows[0].metadata),
    resourceVersion: rows[0].resource_version,
  }
}

/** Increments the version in the database, and returns it; 0 if no metadata is stored. */
async function countUpVersion({ metadataDatabase: { pool } }: Engine): Promise<number> {
  const { rows } = await pool.query<VersionRow>(
    `update hdb_catalog.hdb_metadata set resource_version = resource_version + 1
     where id = 1 returning resource_version`,
  )
  return rows[0]?.resource_version ?? 0
}

async function storeFolder(engine: Engine, folder: MetadataDocument): Promise<StoredMetadata> {
  const document = withHiddenTriggers(folder, (await loadMetadata(engine)).document)
  const { rows } = await engine.metadataDatabase.pool.query<VersionRow>(
    `insert into hdb_catalog.hdb_metadata as kept (id, metadata, resource_version)
     values (1, $1, 1)
     on conflict (id) do update
     set metadata = excluded.metadata, resource_version = kept.resource_version + 1
     where kept.metadata::jsonb <> excluded.metadata::jsonb
     returning resource_version`,
    [JSON.stringify(document)],
  )
  if (rows[0]) return { document, resourceVersion: rows[0].resource_version }
  return { document, resourceVersion: await latestVersion(engine.metadataDatabase.pool) }
}

async function saveMetadata(
  { metadataDatabase: { pool } }: Engine,
  document: MetadataDocument,
  resourceVersion: number,
): Promise<StoredMetadata> {
  const { rows } = await pool.query<VersionRow>(
    `insert into hdb_catalog.hdb_metadata as kept (id, metadata, resource_version)
     values (1, $1, $2 + 1)
     on conflict (id) do update
     set metadata = excluded.metadata, resource_version = excluded.resource_version
     where kept.resource_version = $2
     returning resource_version`,
    [JSON.stringify(document), resourceVersion],
  )
  if (!rows[0]) throw new EngineError('conflict', 'another engine has changed the metadata')
  return { document, resourceVersion: rows[0].resource_version }
}
