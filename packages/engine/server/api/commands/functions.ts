import { z } from 'zod'
import { EngineError } from '../../../errors.ts'
import { isRecord } from '../../../json/record.ts'
import { TrackedFunction } from '../../../metadata/functions.ts'
import { addEntry, dropEntry, inSequence, pickArgs } from '../../../metadata-store/edit/edits.ts'
import { findEntry } from '../../../metadata-store/edit/entries.ts'
import { QualifiedKey } from '../../../metadata-store/edit/keys.ts'
import type { MetadataDocument } from '../../../metadata-store/edit/metadata-document.ts'
import { parseArgs } from '../../../metadata-store/edit/parse-args.ts'
import {
  Args,
  functionPermissions,
  sourceNameIn,
  trackedFunctions,
} from '../../../metadata-store/edit/places.ts'
import { acceptBareName, refuseTableName } from '../../../metadata-store/edit/tracked-names.ts'
import { shortKey } from '../../../postgres/catalog.ts'
import type { EngineServices } from '../../http/endpoint.ts'
import { applyToEach } from '../apply-edit.ts'
import type { Command } from '../command.ts'

const trackFunction = acceptBareName(
  'function',
  inSequence(
    addEntry(trackedFunctions, pickArgs('function', 'configuration', 'comment')),
    refuseTableName,
  ),
)
const untrackFunction = inSequence(
  (_document, args) => requireNamedObject(args),
  acceptBareName('function', dropEntry(trackedFunctions)),
)

/** Commands on functions. */
export const functionCommands: readonly Command[] = [
  { type: 'pg_track_function', edit: trackFunction, makes: 'function' },
  {
    type: 'pg_track_functions',
    run: applyToEach('functions', { edit: trackFunction, makes: 'function' }),
  },
  { type: 'pg_untrack_function', edit: untrackFunction },
  { type: 'pg_untrack_functions', run: applyToEach('functions', { edit: untrackFunction }) },
  { type: 'pg_set_function_customization', edit: setConfiguration, makes: 'function' },
  {
    type: 'pg_create_function_permission',
    edit: addEntry(functionPermissions, pickArgs('role')),
    check: requireReadableTable,
    makes: 'function',
  },
  { type: 'pg_drop_function_permission', edit: dropEntry(functionPermissions) },
]

/** Unlike a table, a function is untracked by an object with its name, not by the name itself. */
function requireNamedObject(args: unknown) {
  const { function: named, ...unnamed } = parseArgs(Args, args)
  parseArgs(z.object({ name: z.string() }), isRecord(named) ? named : unnamed)
}

const Customization = z.object({
  function: QualifiedKey,
  configuration: z.record(z.string(), z.unknown()),
})

/** `pg_set_function_customization`: replaces a tracked function's configuration. */
function setConfiguration(document: MetadataDocument, args: unknown) {
  const { function: key, configuration } = parseArgs(Customization, args)
  const tracked = findEntry(trackedFunctions(document, args), key)
  parseArgs(TrackedFunction, args)
  tracked.configuration = configuration
}

const Permission = z.object({ function: QualifiedKey, role: z.string() })

/** Checks that a role that is to call a function may read the table that it returns. @throws not-supported */
function requireReadableTable(args: unknown, { engine }: EngineServices) {
  const { function: given, role } = parseArgs(Permission, args)
  const key = shortKey(given)
  const source = engine.schemaCache().model.sources.get(sourceNameIn(args))
  const found = source?.functions.find(({ schema, name }) => shortKey(`${schema}.${name}`) === key)
  if (!found || found.table.permissions.get(role)?.select) return
  const message = `function permission can only be added when the function's return table "${found.table.graphqlName}" has select permission configured for role: "${role}"`
  throw new EngineError('not-supported', message, { path: '$.args' })
}
