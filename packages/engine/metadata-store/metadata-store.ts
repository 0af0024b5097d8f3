import type { Inconsistency } from '../compiler/model/inconsistency.ts'
import { EngineError } from '../errors.ts'
import { Metadata } from '../metadata/metadata.ts'
import { latestVersion } from '../runtime/database/metadata-version.ts'
import type { Accept, Engine } from '../runtime/engine.ts'
import type { ConsistencyRule } from './consistency-rules.ts'
import { INITIAL_DOCUMENT, MetadataDocument } from './edit/metadata-document.ts'
import { parseArgs } from './edit/parse-args.ts'
import { withHiddenTriggers } from './hidden-cron-triggers.ts'

/** The metadata, and its version, which counts its changes. */
export type Stored = { document: MetadataDocument; resourceVersion: number }

/** The engine's metadata, which is stored in `hdb_catalog.hdb_metadata`. Changes are made one at a time. */
export type MetadataStore = {
  current(): Stored
  /**
   * Replaces the document by what `edit` makes of it. If anything is thrown, the old metadata stays.
   *
   * @returns what is inconsistent afterwards
   * @throws parse-failed if the result is not metadata, conflict if another engine was faster, and whatever `edit`
   *   and `rule` throw
   */
  change(
    edit: (document: MetadataDocument) => MetadataDocument,
    rule: ConsistencyRule,
  ): Promise<readonly Inconsistency[]>
  /** Makes the other engines on the database reload, because tables have changed. */
  touch(): Promise<void>
  /** Loads what another engine has changed. */
  catchUp(): Promise<void>
}

/** Opens the store. The metadata folder, if there is one, replaces what the database contains. */
export async function openMetadataStore(
  engine: Engine,
  folder: MetadataDocument | null,
): Promise<MetadataStore> {
  let stored = folder ? await storeFolder(engine, folder) : await loadMetadata(engine)
  if (stored.resourceVersion > 0 && stored.document !== folder)
    await applyDocument(engine, stored.document)
  let turn: Promise<unknown> = Promise.resolve()

  async function change(
    edit: (document: MetadataDocument) => MetadataDocument,
    rule: ConsistencyRule,
  ) {
    await catchUp()
    const document = edit(stored.document)
    const before = engine.schemaCache().inconsistencies
    // It is stored before anything is done by it: a trigger, once removed from a source, would have missed events.
    return applyDocument(engine, document, async (after) => {
      rule(after, before)
      refuseInMaintenance(engine)
      stored = await saveMetadata(engine, document, stored.resourceVersion)
    })
  }

  async function catchUp() {
    if ((await latestVersion(engine.metadataDatabase.pool)) === stored.resourceVersion) return
    const latest = await loadMetadata(engine)
    await applyDocument(engine, latest.document, async () => {
      stored = latest
    })
  }

  /** If another engine was faster, the version stays, so that `catchUp` still loads that engine's change. */
  async function touch() {
    refuseInMaintenance(engine)
    const resourceVersion = await countUpVersion(engine)
    if (resourceVersion === stored.resourceVersion + 1) stored = { ...stored, resourceVersion }
  }

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = turn.then(act)
    turn = mine.catch(() => {})
    return mine
  }

  return {
    current: () => stored,
    change: (edit, rule) => inTurn(() => change(edit, rule)),
    touch: () => inTurn(touch),
    catchUp: () => inTurn(catchUp),
  }
}

/** @throws unexpected in maintenance mode, in which the metadata stays as it is */
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

type Versioned = { resource_version: number }

async function loadMetadata({ metadataDatabase: { pool } }: Engine): Promise<Stored> {
  const { rows } = await pool.query<Versioned & { metadata: unknown }>(
    'select metadata, resource_version from hdb_catalog.hdb_metadata where id = 1',
  )
  if (!rows[0]) return { document: INITIAL_DOCUMENT, resourceVersion: 0 }
  return {
    document: MetadataDocument.parse(rows[0].metadata),
    resourceVersion: rows[0].resource_version,
  }
}

/** Counts up the version in the database, and returns it; 0 as long as no metadata is stored. */
async function countUpVersion({ metadataDatabase: { pool } }: Engine): Promise<number> {
  const { rows } = await pool.query<Versioned>(
    `update hdb_catalog.hdb_metadata set resource_version = resource_version + 1
     where id = 1 returning resource_version`,
  )
  return rows[0]?.resource_version ?? 0
}

async function storeFolder(engine: Engine, folder: MetadataDocument): Promise<Stored> {
  const document = withHiddenTriggers(folder, (await loadMetadata(engine)).document)
  const { rows } = await engine.metadataDatabase.pool.query<Versioned>(
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
): Promise<Stored> {
  const { rows } = await pool.query<Versioned>(
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
