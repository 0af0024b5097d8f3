import { z } from 'zod'
import { EngineError } from '../../../errors.ts'
import { ownValue } from '../../../json/own-value.ts'
import { quotedNames } from '../../../json/quoted-names.ts'
import { isRecord } from '../../../json/record.ts'
import { Metadata } from '../../../metadata/metadata.ts'
import { Table } from '../../../metadata/tables.ts'
import {
  allowInconsistent,
  consistencyReport,
  requireConsistent,
} from '../../../metadata-store/consistency-rules.ts'
import { withoutInconsistent } from '../../../metadata-store/drop-inconsistent.ts'
import { entriesOf } from '../../../metadata-store/edit/entries.ts'
import {
  clearedDocument,
  MetadataDocument,
} from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { withQualifiedNames } from '../../../metadata-store/edit/tracked-names.ts'
import {
  exportedDocument,
  refuseHiddenNames,
  withHiddenTriggers,
} from '../../../metadata-store/hidden-cron-triggers.ts'
import type { AuthenticatedRequest } from '../../http/authenticated-endpoint.ts'
import { type Command, type CommandRequest, requireVersion, SUCCESS } from '../command.ts'
import { notExistsError } from '../command-errors.ts'

/** Commands on the metadata as a whole. */
export const wholeMetadataCommands: readonly Command[] = [
  { type: 'export_metadata', run: exportMetadata },
  { type: 'replace_metadata', run: replaceMetadata },
  { type: 'reload_metadata', run: reloadMetadata },
  { type: 'clear_metadata', run: clearMetadata },
  { type: 'get_inconsistent_metadata', run: getInconsistentMetadata },
  { type: 'drop_inconsistent_metadata', run: dropInconsistentMetadata },
]

/** `export_metadata`: version 2 of the command also answers the metadata's `resource_version`. */
async function exportMetadata(
  { version }: CommandRequest,
  { services: { store } }: AuthenticatedRequest,
) {
  const { document, resourceVersion } = store.current()
  const metadata = withQualifiedNames(exportedDocument(document))
  return version === 1 ? metadata : { resource_version: resourceVersion, metadata }
}

const Replacement = z.object({
  allow_inconsistent_metadata: z.boolean().default(false),
  metadata: MetadataDocument,
})

/**
 * `replace_metadata`. The arguments are the metadata itself, or contain it as `metadata`; then the answer lists
 * what is inconsistent.
 */
async function replaceMetadata(
  { args, resource_version }: CommandRequest,
  { services: { store } }: AuthenticatedRequest,
) {
  const whole = parseArgs(MetadataDocument, args)
  const { metadata: given, allow_inconsistent_metadata } =
    'metadata' in whole ? parseArgs(Replacement, args) : asReplacement(whole)
  const { document, resourceVersion } = store.current()
  const metadata = asVersion3(given, document, 'metadata' in whole ? '$.args.metadata' : '$.args')
  requireVersion(resource_version, resourceVersion)
  refuseSharedTriggerNames(metadata)
  const rule = allow_inconsistent_metadata ? allowInconsistent : requireConsistent
  const found = await store.change((old) => {
    refuseHiddenNames(metadata, old)
    return withHiddenTriggers(metadata, old)
  }, rule)
  return 'metadata' in whole ? consistencyReport(found) : SUCCESS
}

/** @throws not-supported when two event triggers have one name, even if inconsistent metadata is allowed */
function refuseSharedTriggerNames(metadata: MetadataDocument) {
  const names = entriesOf(metadata, 'sources')
    .flatMap((source) => entriesOf(source, 'tables'))
    .flatMap((table) => entriesOf(table, 'event_triggers').map(({ name }) => String(name)))
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  if (twice.size === 0) return
  const message = `Event trigger with duplicate names not allowed: ${quotedNames(twice)}`
  throw new EngineError('not-supported', message, { path: '$.args' })
}

function asReplacement(metadata: MetadataDocument): z.infer<typeof Replacement> {
  return { allow_inconsistent_metadata: false, metadata }
}

const Version = z.object({
  version: z
    .number()
    .refine((version) => [1, 2, 3].includes(version), {
      error: ({ input }) => `expected 1, 2 or 3, encountered ${input}`,
    })
    .default(1),
})

/**
 * The parts of versions 1 and 2 that belong to the source `default`;
 * in version 1, functions are only names.
 */
const OfDefault = z.object({
  tables: z.array(Table),
  functions: z.array(z.unknown()).nullish(),
})

/**
 * Metadata of any version in the form of version 3. The first two have no sources: their tables and functions
 * go to the source `default`, which keeps its present connection.
 */
function asVersion3(
  given: MetadataDocument,
  old: MetadataDocument,
  path: string,
): MetadataDocument {
  const { version } = parseArgs(Version, given, path)
  if (version === 3) {
    parseArgs(z.object({ sources: z.array(z.unknown()) }), given, path)
    parseArgs(Metadata, given, path)
    return given
  }
  const { functions } = parseArgs(OfDefault, given, path)
  const { tables, functions: _, ...rest } = given
  parseArgs(Metadata, rest, path)
  const source = entriesOf(old, 'sources').find(({ name }) => name === 'default')
  if (!source)
    throw new EngineError(
      'not-supported',
      'cannot import metadata without sources since no default source is defined',
      { path: '$.args' },
    )
  const { name, kind, configuration } = source
  const tracked = version === 1 ? functions?.map((called) => ({ function: called })) : functions
  return {
    ...rest,
    version: 3,
    sources: [{ name, kind, tables, functions: tracked ?? [], configuration }],
    ...(old.rest_endpoints ? { rest_endpoints: old.rest_endpoints } : {}),
  }
}

/** What to reload: all objects of a kind, none, or those with these names. */
const Reloaded = z.union([z.array(z.string()), z.boolean()]).optional()

const Reloading = z.object({
  reload_sources: Reloaded,
  recreate_event_triggers: Reloaded,
  reload_remote_schemas: Reloaded,
  reload_data_connectors: Reloaded,
})

/** `reload_metadata`: reads everything again, whatever the arguments name; but what they name must exist. */
async function reloadMetadata(
  { args, resource_version }: CommandRequest,
  { services }: AuthenticatedRequest,
) {
  const { engine, store } = services
  const { document } = store.current()
  const given = isRecord(args) ? args : {}
  const reloading = parseArgs(Reloading, given)
  requireNames(document, 'remote_schemas', reloading.reload_remote_schemas)
  requireNames(document, 'sources', reloading.reload_sources)
  requireNames(document, 'sources', reloading.recreate_event_triggers)
  requireNames(document, 'data_connectors', reloading.reload_data_connectors)
  requireVersion(resource_version, store.current().resourceVersion)
  const { reload_remote_schemas: remote = true } = reloading
  const found = await engine.reload(remoteSchemasToReload(remote))
  await store.touch()
  const { is_consistent, inconsistent_objects } = consistencyReport(found)
  return { ...(!is_consistent && { inconsistent_objects }), is_consistent, ...SUCCESS }
}

function remoteSchemasToReload(given: readonly string[] | boolean) {
  if (typeof given !== 'boolean') return given
  return given ? 'all' : []
}

function requireNames(document: MetadataDocument, list: string, names: z.infer<typeof Reloaded>) {
  if (!Array.isArray(names)) return
  const known = entriesOf(document, list).map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw notExistsError(
    `${ownValue(ENTRY_NAMES, list)} with name "${unknown}" not found in metadata`,
  )
}

/** The name of an entry of each list, for messages. */
const ENTRY_NAMES: Readonly<Record<string, string>> = {
  sources: 'Source',
  remote_schemas: 'Remote schema',
  data_connectors: 'Data connector',
}

/** `clear_metadata`: removes everything but the connection to the database. */
async function clearMetadata(
  { resource_version }: CommandRequest,
  { services: { store } }: AuthenticatedRequest,
) {
  requireVersion(resource_version, store.current().resourceVersion)
  await store.change((old) => withHiddenTriggers(clearedDocument(old), old), allowInconsistent)
  return SUCCESS
}

/** `get_inconsistent_metadata` */
async function getInconsistentMetadata(
  _request: CommandRequest,
  { services: { engine } }: AuthenticatedRequest,
) {
  return consistencyReport(engine.schemaCache().inconsistencies)
}

/** `drop_inconsistent_metadata` */
async function dropInconsistentMetadata(
  _request: CommandRequest,
  { services }: AuthenticatedRequest,
) {
  const { engine, store } = services
  const { inconsistencies } = engine.schemaCache()
  await store.change(
    (document) => withoutInconsistent(document, inconsistencies),
    allowInconsistent,
  )
  return SUCCESS
}
