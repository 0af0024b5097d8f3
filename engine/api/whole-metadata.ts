import { z } from 'zod'
import { cleared, Document, nodesOf } from '../document/document.ts'
import { refuseClash, replacing, shown } from '../document/hidden-triggers.ts'
import { parseArgs } from '../document/parse-args.ts'
import { EngineError } from '../errors.ts'
import type { AuthenticatedRequest } from '../http/authenticated-endpoint.ts'
import { own } from '../json/own.ts'
import { quotedList } from '../json/quoted-list.ts'
import { isRecord } from '../json/record.ts'
import { Metadata } from '../metadata/metadata.ts'
import { Table } from '../metadata/tables.ts'
import { type Command, checkVersion, SUCCESS } from './command.ts'
import { withoutInconsistent } from './drop-inconsistent.ts'
import { anything, consistent, report } from './judges.ts'

/** `export_metadata`: version 2 of the command also answers the metadata's `resource_version`. */
export async function exportMetadata(
  { version }: Command,
  { services: { store } }: AuthenticatedRequest,
) {
  const { document, resourceVersion } = store.current()
  const metadata = shown(document)
  return version === 1 ? metadata : { resource_version: resourceVersion, metadata }
}

const Replacement = z.object({
  allow_inconsistent_metadata: z.boolean().default(false),
  metadata: Document,
})

/**
 * `replace_metadata`. The arguments are the metadata itself, or contain it as `metadata`; then the answer lists
 * what is inconsistent.
 */
export async function replaceMetadata(
  { args, resource_version }: Command,
  { services: { store } }: AuthenticatedRequest,
) {
  const whole = parseArgs(Document, args)
  const { metadata: given, allow_inconsistent_metadata } =
    'metadata' in whole ? parseArgs(Replacement, args) : alone(whole)
  const { document, resourceVersion } = store.current()
  const metadata = withSources(given, document, 'metadata' in whole ? '$.args.metadata' : '$.args')
  checkVersion(resource_version, resourceVersion)
  refuseSharedTriggers(metadata)
  const judge = allow_inconsistent_metadata ? anything : consistent
  const found = await store.change((old) => {
    refuseClash(old, metadata)
    return replacing(old, metadata)
  }, judge)
  return 'metadata' in whole ? report(found) : SUCCESS
}

/** @throws not-supported when two event triggers have one name, even if inconsistent metadata is allowed */
function refuseSharedTriggers(metadata: Document) {
  const names = nodesOf(metadata, 'sources')
    .flatMap((source) => nodesOf(source, 'tables'))
    .flatMap((table) => nodesOf(table, 'event_triggers').map(({ name }) => String(name)))
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i))
  if (twice.size === 0) return
  const message = `Event trigger with duplicate names not allowed: ${quotedList(twice)}`
  throw new EngineError('not-supported', message, { path: '$.args' })
}

function alone(metadata: Document): z.infer<typeof Replacement> {
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
function withSources(given: Document, old: Document, path: string): Document {
  const { version } = parseArgs(Version, given, path)
  if (version === 3) {
    parseArgs(z.object({ sources: z.array(z.unknown()) }), given, path)
    parseArgs(Metadata, given, path)
    return given
  }
  const { functions } = parseArgs(OfDefault, given, path)
  const { tables, functions: _, ...rest } = given
  parseArgs(Metadata, rest, path)
  const source = nodesOf(old, 'sources').find(({ name }) => name === 'default')
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

/** All of them, none, or those with these names. */
const Reloaded = z.union([z.boolean(), z.array(z.string())]).optional()

const Reloading = z.object({
  reload_sources: Reloaded,
  recreate_event_triggers: Reloaded,
  reload_remote_schemas: Reloaded,
  reload_data_connectors: Reloaded,
})

/** `reload_metadata`: reads everything anew, whatever the arguments name; but what they name must exist. */
export async function reloadMetadata(
  { args, resource_version }: Command,
  { services }: AuthenticatedRequest,
) {
  const { engine, store } = services
  const { document } = store.current()
  const given = isRecord(args) ? args : {}
  const reloading = parseArgs(Reloading, given)
  checkNamed(document, 'remote_schemas', reloading.reload_remote_schemas)
  checkNamed(document, 'sources', reloading.reload_sources)
  checkNamed(document, 'sources', reloading.recreate_event_triggers)
  checkNamed(document, 'data_connectors', reloading.reload_data_connectors)
  checkVersion(resource_version, store.current().resourceVersion)
  const found = await engine.reload()
  await store.touch()
  const { is_consistent, inconsistent_objects } = report(found)
  return { ...SUCCESS, is_consistent, ...(!is_consistent && { inconsistent_objects }) }
}

function checkNamed(document: Document, list: string, names: z.infer<typeof Reloaded>) {
  if (!Array.isArray(names)) return
  const known = nodesOf(document, list).map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const message = `${own(NAMED, list)} with name "${unknown}" not found in metadata`
  throw new EngineError('not-exists', message, { path: '$.args' })
}

/** The name of an entry of each list, for messages. */
const NAMED: Readonly<Record<string, string>> = {
  sources: 'Source',
  remote_schemas: 'Remote schema',
  data_connectors: 'Data connector',
}

/** `clear_metadata`: removes everything but the connection to the database. */
export async function clearMetadata(
  { resource_version }: Command,
  { services: { store } }: AuthenticatedRequest,
) {
  checkVersion(resource_version, store.current().resourceVersion)
  await store.change((old) => replacing(old, cleared(old)), anything)
  return SUCCESS
}

/** `get_inconsistent_metadata` */
export async function inconsistentMetadata(
  _command: Command,
  { services: { engine } }: AuthenticatedRequest,
) {
  return report(engine.schemaCache().inconsistencies)
}

/** `drop_inconsistent_metadata` */
export async function dropInconsistentMetadata(
  _command: Command,
  { services }: AuthenticatedRequest,
) {
  const { engine, store } = services
  const { inconsistencies } = engine.schemaCache()
  await store.change((document) => withoutInconsistent(document, inconsistencies), anything)
  return SUCCESS
}
