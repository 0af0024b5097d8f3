import {
  type EventTriggerMetadata,
  EventTrigger as EventTriggerSchema,
} from '../../../metadata/event-triggers.ts'
import type { SourceMetadata } from '../../../metadata/metadata.ts'
import { missingVariablesMessage } from '../../../outgoing/environment.ts'
import { requestTransform } from '../../../outgoing/transform/request-transform.ts'
import { responseTransform } from '../../../outgoing/transform/response-transform.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import { scalarOf } from '../../../postgres/scalars.ts'
import { type InconsistencyReport, Inconsistent, readPart } from '../inconsistency.ts'
import type { ModelSettings, SourceModel, Table } from '../model.ts'
import type { EventTrigger, ObservedColumns, RowOperation } from '../triggers.ts'

type Columns = ObservedColumns['watched']

type Input = {
  source: SourceModel
  tracked: SourceMetadata['tables']
  /** The names of the event triggers of other sources; those of this one are added. */
  names: Set<string>
  settings: ModelSettings
  errors: InconsistencyReport
}

/** The event triggers of all tables of a source, by name. */
export function resolveEventTriggers({ source, tracked, names, settings, errors }: Input) {
  const resolved = new Map<string, EventTrigger>()
  for (const { table: name, event_triggers } of tracked) {
    const table = source.tables.get(catalogKey(name))
    for (const definition of event_triggers) {
      const subject = {
        type: 'event_trigger',
        name: `event_trigger ${definition.name} in table ${catalogKey(name)} in source ${source.name}`,
        source: source.name,
        prefix: `in table "${catalogKey(name)}": in event trigger "${definition.name}"`,
        definition: { ...definition, table: name },
      }
      errors.attempt(subject, () => {
        const trigger = resolveEventTrigger(definition, table, settings)
        if (names.has(trigger.name)) throw new Inconsistent('another event trigger has this name')
        names.add(trigger.name)
        resolved.set(trigger.name, trigger)
      })
    }
  }
  return resolved
}

function resolveEventTrigger(
  definition: unknown,
  table: Table | undefined,
  { environment, stringifyNumericTypes }: ModelSettings,
): EventTrigger {
  if (!table) throw new Inconsistent('its table is not there')
  const given = readPart('the definition', () => EventTriggerSchema.parse(definition))
  const { headers, retry_conf, request_transform, response_transform } = given
  const webhook = given.webhook ?? `{{${given.webhook_from_env ?? ''}}}`
  const named = { address: given.webhook, fromEnv: given.webhook_from_env, headers: headers ?? [] }
  const missing = missingVariablesMessage(named, environment)
  if (missing !== null) throw new Inconsistent(missing)
  readPart('request_transform', () => request_transform && requestTransform(request_transform))
  readPart('response_transform', () => response_transform && responseTransform(response_transform))
  return {
    name: given.name,
    table: { schema: table.schema, name: table.name },
    operations: observedOperations(given, table),
    columnsAsText: stringifyNumericTypes ? wideNumberColumns(table) : [],
    onReplication: given.trigger_on_replication ?? false,
    allowsManual: given.definition.enable_manual,
    webhook,
    headers: headers ?? [],
    retries: retry_conf?.num_retries ?? 0,
    intervalSeconds: retry_conf?.interval_sec ?? 10,
    timeoutSeconds: retry_conf?.timeout_sec ?? 60,
    requestTransform: request_transform,
    responseTransform: response_transform,
  }
}

function wideNumberColumns({ columns }: Table): string[] {
  return [...columns.values()]
    .filter(({ type }) => type.element === null && scalarOf(type).wide)
    .map(({ name }) => name)
}

/**
 * The operations that create events. An update does so if it concerns one of `columns`; events contain the columns of
 * `payload`, by default all.
 */
function observedOperations({ definition }: EventTriggerMetadata, table: Table) {
  const all = [...table.columns.values()].map(({ name }) => name)
  const named = (columns: Columns | null | undefined): Columns =>
    columns == null || columns === '*'
      ? '*'
      : columns.map((column) => requireKnownColumn(column, all))
  const operations = new Map<RowOperation, ObservedColumns>()
  for (const [operation, key] of OPERATIONS) {
    const given = definition[key]
    if (given)
      operations.set(operation, { watched: named(given.columns), payload: named(given.payload) })
  }
  if (operations.size > 0 && !table.canHaveRowTriggers)
    throw new Inconsistent(`no event tells of the rows of "${catalogKey(table)}": it is a view`)
  return operations
}

const OPERATIONS = [
  ['INSERT', 'insert'],
  ['UPDATE', 'update'],
  ['DELETE', 'delete'],
] as const

function requireKnownColumn(column: string, all: readonly string[]): string {
  if (all.includes(column)) return column
  throw new Inconsistent(`column "${column}" does not exist`)
}
