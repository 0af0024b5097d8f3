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
  /** The names of the event triggers of earlier sources. The names of this source's triggers are added. */
  names: Set<string>
  settings: ModelSettings
  errors: InconsistencyReport
}

/** Resolves the event triggers of all tables of a source, by name. */
export function resolveEventTriggers({ source, tracked, names, settings, errors }: Input) {
  const triggers = new Map<string, EventTrigger>()
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
        triggers.set(trigger.name, trigger)
      })
    }
  }
  return triggers
}

function resolveEventTrigger(
  definition: unknown,
  table: Table | undefined,
  { environment, stringifyNumericTypes }: ModelSettings,
): EventTrigger {
  if (!table) throw new Inconsistent('its table is not available')
  const metadata = readPart('the definition', () => EventTriggerSchema.parse(definition))
  const { headers, retry_conf, request_transform, response_transform } = metadata
  const webhook = metadata.webhook ?? `{{${metadata.webhook_from_env ?? ''}}}`
  const webhookSource = {
    address: metadata.webhook,
    fromEnv: metadata.webhook_from_env,
    headers: headers ?? [],
  }
  const problem = missingVariablesMessage(webhookSource, environment)
  if (problem !== null) throw new Inconsistent(problem)
  readPart('request_transform', () => request_transform && requestTransform(request_transform))
  readPart('response_transform', () => response_transform && responseTransform(response_transform))
  return {
    name: metadata.name,
    table: { schema: table.schema, name: table.name },
    operations: observedOperations(metadata, table),
    columnsAsText: stringifyNumericTypes ? wideNumberColumns(table) : [],
    onReplication: metadata.trigger_on_replication ?? false,
    allowsManual: metadata.definition.enable_manual,
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
    .filter(({ type }) => type.element === null && scalarOf(type).isWide)
    .map(({ name }) => name)
}

/**
 * Returns the operations that create events. An update creates an event if it changes any of `columns`. Events contain
 * the columns of `payload`, by default all columns.
 */
function observedOperations({ definition }: EventTriggerMetadata, table: Table) {
  const all = [...table.columns.values()].map(({ name }) => name)
  const checkColumns = (columns: Columns | null | undefined): Columns =>
    columns == null || columns === '*'
      ? '*'
      : columns.map((column) => requireKnownColumn(column, all))
  const operations = new Map<RowOperation, ObservedColumns>()
  for (const [operation, key] of OPERATIONS) {
    const operationMetadata = definition[key]
    if (operationMetadata)
      operations.set(operation, {
        watched: checkColumns(operationMetadata.columns),
        payload: checkColumns(operationMetadata.payload),
      })
  }
  if (operations.size > 0 && !table.canHaveRowTriggers)
    throw new Inconsistent(`"${catalogKey(table)}" is a view, so its rows create no events`)
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
