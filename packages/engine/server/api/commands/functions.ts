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
  { type: 'pg_track_function', edit: trackFunction, createdType: 'function' },
  {
    type: 'pg_track_functions',
    run: applyToEach('functions', { edit: trackFunction, createdType: 'function' }),
  },
  { type: 'pg_untrack_function', edit: untrackFunction },
  { type: 'pg_untrack_functions', run: applyToEach('functions', { edit: untrackFunction }) },
  { type: 'pg_set_function_customization', edit: setConfiguration, createdType: 'function' },
  {
    type: 'pg_create_function_permission',
    edit: addEntry(functionPermissions, pickArgs('role')),
    check: requireReadableTable,
    createdType: 'function',
  },
  { type: 'pg_drop_function_permission', edit: dropEntry(functionPermissions) },
]

/** Requires an object with the function's name, in `function` or as the arguments. `pg_track_function` also accepts a string. */
function requireNamedObject(args: unknown) {
  const { function: routine, ...rest } = parseArgs(Args, args)
  parseArgs(z.object({ name: z.string() }), isRecord(routine) ? routine : rest)
}

const Customization = z.object({
  function: QualifiedKey,
  configuration: z.record(z.string(), z.unknown()),
})

/** `pg_set_function_customization`: replaces a tracked function's configuration. */
function setConfiguration(document: MetadataDocument, args: unknown) {
  const { function: key, configuration } = parseArgs(Customization, args)
  const entry = findEntry(trackedFunctions(document, args), key)
  parseArgs(TrackedFunction, args)
  entry.configuration = configuration
}

const Permission = z.object({ function: QualifiedKey, role: z.string() })

/** Checks that a role with a new permission for a function may read the table that the function returns. @throws not-supported */
function requireReadableTable(args: unknown, { engine }: EngineServices) {
  const { function: qualifiedKey, role } = parseArgs(Permission, args)
  const key = shortKey(qualifiedKey)
  const source = engine.schemaCache().model.sources.get(sourceNameIn(args))
  const routine = source?.functions.find(
    ({ schema, name }) => shortKey(`${schema}.${name}`) === key,
  )
  if (!routine || routine.table.permissions.get(role)?.select) return
  const message = `function permission can only be added when the function's return table "${routine.table.graphqlName}" has select permission configured for role: "${role}"`
  throw new EngineError('not-supported', message, { path: '$.args' })
}
