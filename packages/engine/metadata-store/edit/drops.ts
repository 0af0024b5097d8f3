import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import { dropEntry, inSequence } from './edits.ts'
import { editEntries, entriesOf, hasEntry } from './entries.ts'
import { entryError } from './entry-errors.ts'
import { QualifiedKey } from './keys.ts'
import type { MetadataDocument } from './metadata-document.ts'
import { parseArgs } from './parse-args.ts'
import {
  computedFields,
  eventTriggersOf,
  findEventTriggerPlace,
  findRelationshipPlace,
  findSource,
  logicalModels,
  trackedTables,
} from './places.ts'

/** Removes a relationship of either kind. @throws not-exists */
export function dropRelationship(document: MetadataDocument, args: unknown) {
  const { relationship: name } = parseArgs(z.object({ relationship: z.string() }), args)
  const place = findRelationshipPlace(document, args, name)
  editEntries(place, (entries) => entries.filter((entry) => entry.name !== name))
}

/** Removes a computed field. @throws not-exists */
export const dropComputedField = inSequence(requireTrackedTable, dropEntry(computedFields))

/** Checks that a command's table is tracked. @throws not-exists with the path of the table's name */
export function requireTrackedTable(document: MetadataDocument, args: unknown) {
  const { table } = parseArgs(z.object({ table: QualifiedKey }), args)
  const place = trackedTables(document, args)
  if (hasEntry(place, table)) return
  const { code, message } = entryError('missing', place, table)
  throw new EngineError(code, message, { path: '$.args.table' })
}

/** Removes an event trigger. Looks in all tables of the source, because the command does not name the table. @throws not-exists */
export function dropEventTrigger(document: MetadataDocument, args: unknown) {
  const { name } = parseArgs(z.object({ name: z.string() }), args)
  const place = findEventTriggerPlace(document, args, name)
  if (!place) throw entryError('gone', eventTriggersOf(findSource(document, args)), name)
  editEntries(place, (entries) => entries.filter((entry) => entry.name !== name))
}

/** Removes a logical model. @throws constraint-violation if a native query returns it */
export const dropLogicalModel = inSequence(dropEntry(logicalModels), refuseReturnedModel)

function refuseReturnedModel(document: MetadataDocument, args: unknown) {
  const { name } = parseArgs(z.object({ name: z.string() }), args)
  const queries = entriesOf(findSource(document, args), 'native_queries')
  const user = queries.find(({ returns }) => returns === name)
  if (!user) return
  const message = `Logical model "${name}" still being used by native query "${user.root_field_name}".`
  throw new EngineError('constraint-violation', message, { path: '$.args' })
}
