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
  createEmptyDocument,
  MetadataDocument,
} from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import { withQualifiedNames } from '../../../metadata-store/edit/tracked-names.ts'
import {
  refuseHiddenNames,
  toExportDocument,
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

/** `export_metadata`: returns the metadata. Version 2 of the command also returns its `resource_version`. */
async function exportMetadata(
  { version }: CommandRequest,
  { services: { store } }: AuthenticatedRequest,
) {
  const { document, resourceVersion } = store.current()
  const metadata = withQualifiedNames(toExportDocument(document))
  return version === 1 ? metadata : { resource_version: resourceVersion, metadata }
}

const Replacement = z.object({
  allow_inconsistent_metadata: z.boolean().default(false),
  metadata: MetadataDocument,
})

/**
 * `replace_metadata`. The arguments are the metadata itself, or contain it as `metadata`. In the second case, the response lists
 * the inconsistent objects.
 */
async function replaceMetadata(
  { args, resource_version }: CommandRequest,
  { services: { store } }: AuthenticatedRequest,
) {
  const parsedArgs = parseArgs(MetadataDocument, args)
  const { metadata: anyVersion, allow_inconsistent_metadata } =
    'metadata' in parsedArgs ? parseArgs(Replacement, args) : asReplacement(parsedArgs)
  const { document, resourceVersion } = store.current()
  const metadata = asVersion3(
    anyVersion,
    document,
    'metadata' in parsedArgs ? '$.args.metadata' : '$.args',
  )
  requireVersion(resource_version, resourceVersion)
  refuseSharedTriggerNames(metadata)
  const rule = allow_inconsistent_metadata ? allowInconsistent : requireConsistent
  const inconsistencies = await store.change((old) => {
    refuseHiddenNames(metadata, old)
    return withHiddenTriggers(metadata, old)
  }, rule)
  return 'metadata' in parsedArgs ? consistencyReport(inconsistencies) : SUCCESS
}

/** @throws not-supported if two event triggers have the same name, even if inconsistent metadata is allowed */
function refuseSharedTriggerNames(metadata: MetadataDocument) {
  const names = entriesOf(metadata, 'sources')
    .flatMap((source) => entriesOf(source, 'tables'))
    .flatMap((table) => entriesOf(table, 'event_triggers').map(({ name }) => String(name)))
  const duplicates = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  if (duplicates.size === 0) return
  const message = `Event trigger with duplicate names not allowed: ${quotedNames(duplicates)}`
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
 * The parts of versions 1 and 2 that belong to the source `default`. In version 1, functions are only names.
 */
const DefaultSourceParts = z.object({
  tables: z.array(Table),
  functions: z.array(z.unknown()).nullish(),
})

/**
 * Converts metadata of any version to version 3. Versions 1 and 2 have no sources: their tables and functions go to the source
 * `default`, which keeps its connection.
 */
function asVersion3(
  metadata: MetadataDocument,
  old: MetadataDocument,
  path: string,
): MetadataDocument {
  const { version } = parseArgs(Version, metadata, path)
  if (version === 3) {
    parseArgs(z.object({ sources: z.array(z.unknown()) }), metadata, path)
    parseArgs(Metadata, metadata, path)
    return metadata
  }
  const { functions } = parseArgs(DefaultSourceParts, metadata, path)
  const { tables, functions: _, ...rest } = metadata
  parseArgs(Metadata, rest, path)
  const source = entriesOf(old, 'sources').find(({ name }) => name === 'default')
  if (!source)
    throw new EngineError(
      'not-supported',
      'cannot import metadata without sources since no default source is defined',
      { path: '$.args' },
    )
  const { name, kind, configuration } = source
  const entries = version === 1 ? functions?.map((name) => ({ function: name })) : functions
  return {
    ...rest,
    version: 3,
    sources: [{ name, kind, tables, functions: entries ?? [], configuration }],
    ...(old.rest_endpoints ? { rest_endpoints: old.rest_endpoints } : {}),
  }
}

/** The objects of a kind to reload: all, none, or a list of names. */
const ReloadChoice = z.union([z.array(z.string()), z.boolean()]).optional()

const ReloadArgs = z.object({
  reload_sources: ReloadChoice,
  recreate_event_triggers: ReloadChoice,
  reload_remote_schemas: ReloadChoice,
  reload_data_connectors: ReloadChoice,
})

/** `reload_metadata`: reloads everything except remote schemas that the arguments exclude. Names in the arguments must exist. */
async function reloadMetadata(
  { args, resource_version }: CommandRequest,
  { services }: AuthenticatedRequest,
) {
  const { engine, store } = services
  const { document } = store.current()
  const choices = parseArgs(ReloadArgs, isRecord(args) ? args : {})
  requireNames(document, 'remote_schemas', choices.reload_remote_schemas)
  requireNames(document, 'sources', choices.reload_sources)
  requireNames(document, 'sources', choices.recreate_event_triggers)
  requireNames(document, 'data_connectors', choices.reload_data_connectors)
  requireVersion(resource_version, store.current().resourceVersion)
  const { reload_remote_schemas: remote = true } = choices
  const inconsistencies = await engine.reload(remoteSchemasToReload(remote))
  await store.touch()
  const { is_consistent, inconsistent_objects } = consistencyReport(inconsistencies)
  return { ...(!is_consistent && { inconsistent_objects }), is_consistent, ...SUCCESS }
}

function remoteSchemasToReload(choice: readonly string[] | boolean) {
  if (typeof choice !== 'boolean') return choice
  return choice ? 'all' : []
}

function requireNames(
  document: MetadataDocument,
  list: string,
  names: z.infer<typeof ReloadChoice>,
) {
  if (!Array.isArray(names)) return
  const entryNames = entriesOf(document, list).map(({ name }) => name)
  const unknown = names.find((name) => !entryNames.includes(name))
  if (unknown === undefined) return
  throw notExistsError(
    `${ownValue(ENTRY_NAMES, list)} with name "${unknown}" not found in metadata`,
  )
}

/** The word that messages use for an entry of each list. */
const ENTRY_NAMES: Readonly<Record<string, string>> = {
  sources: 'Source',
  remote_schemas: 'Remote schema',
  data_connectors: 'Data connector',
}

/** `clear_metadata`: removes everything except the connection of the source `default`, and cron triggers that exports omit. */
async function clearMetadata(
  { resource_version }: CommandRequest,
  { services: { store } }: AuthenticatedRequest,
) {
  requireVersion(resource_version, store.current().resourceVersion)
  await store.change((old) => withHiddenTriggers(createEmptyDocument(old), old), allowInconsistent)
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
