import { z } from 'zod'
import { EngineError } from '../../../errors.ts'
import { dropLogicalModel } from '../../../metadata-store/edit/drops.ts'
import {
  addEntry,
  dropEntry,
  dropEntryIfExists,
  inSequence,
  omitArgs,
  pickArgs,
  putEntry,
} from '../../../metadata-store/edit/edits.ts'
import { entriesOf } from '../../../metadata-store/edit/entries.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import {
  logicalModelPermissions,
  logicalModels,
  nativeQueries,
} from '../../../metadata-store/edit/places.ts'
import type { EngineServices } from '../../http/endpoint.ts'
import { prepareNativeQuery } from '../checks/native-query.ts'
import type { Command, RunCommand } from '../command.ts'

const trackNativeQuery = inSequence(requireSource, addEntry(nativeQueries, omitArgs('source')))

/** Commands on native queries, and on the logical models that describe their rows. */
export const nativeQueryCommands: readonly Command[] = [
  {
    type: 'pg_track_native_query',
    edit: trackNativeQuery,
    check: requirePreparable,
    createdType: 'native_query',
  },
  { type: 'pg_untrack_native_query', edit: inSequence(requireSource, dropEntry(nativeQueries)) },
  { type: 'pg_get_native_query', run: getEntries('native_queries') },
  {
    type: 'pg_track_logical_model',
    edit: inSequence(requireSource, addEntry(logicalModels, omitArgs('source'))),
    createdType: 'logical_model',
  },
  { type: 'pg_untrack_logical_model', edit: inSequence(requireSource, dropLogicalModel) },
  { type: 'pg_get_logical_model', run: getEntries('logical_models') },
  {
    type: 'pg_create_logical_model_select_permission',
    edit: inSequence(
      requireLogicalModelType,
      putEntry(logicalModelPermissions, pickArgs('role', 'permission', 'comment')),
    ),
    createdType: 'logical_model',
  },
  {
    type: 'pg_drop_logical_model_select_permission',
    edit: inSequence(requireLogicalModelType, dropEntryIfExists(logicalModelPermissions)),
  },
]

/** Requires the argument `source`. Most other commands have a default for it. @throws parse-failed */
function requireSource(_document: MetadataDocument, args: unknown) {
  parseArgs(z.object({ source: z.string() }), args)
}

/** Checks that the database can prepare a new native query. @throws validation-failed */
async function requirePreparable(args: unknown, { engine, store }: EngineServices) {
  trackNativeQuery(structuredClone(store.current().document), args)
  await prepareNativeQuery(engine, args)
}

/** Creates a command that returns all native queries or logical models of a source, as stored. */
function getEntries(list: 'native_queries' | 'logical_models'): RunCommand {
  return async ({ args }, { services: { store } }) => {
    const { source } = parseArgs(z.object({ source: z.string() }), args)
    const sources = entriesOf(store.current().document, 'sources')
    const entry = sources.find(({ name }) => name === source)
    if (entry) return entriesOf(entry, list)
    const message = `Source '${source}' of kind postgres not found.`
    throw new EngineError('not-found', message, { path: '$.args', status: 400 })
  }
}

const TypeArgs = z.object({ type: z.string().default('logical_model') })

/** Rejects permissions on logical models that are defined inside native queries. @throws not-supported */
function requireLogicalModelType(_document: MetadataDocument, args: unknown) {
  const { type } = parseArgs(TypeArgs, args)
  if (type === 'logical_model') return
  const message = `the logical model of a ${type}`
  throw new EngineError('not-supported', message, { path: '$.args.type' })
}
