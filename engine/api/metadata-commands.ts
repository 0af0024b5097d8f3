import { catalogState, setCatalogState } from './catalog-state.ts'
import type { Carry } from './command.ts'
import { editCommands } from './edit-commands.ts'
import { cleanUpEventLogs, invokeEventTrigger, redeliverEvent } from './event-commands.ts'
import { getEventById, getEventInvocationLogs, getEventLogs } from './event-log-commands.ts'
import {
  createScheduledEvent,
  deleteScheduledEvent,
  getCronTriggers,
  getScheduledEventInvocations,
  getScheduledEvents,
} from './scheduled-event-commands.ts'
import { getListed, getSourceTables, getTableInfo } from './source-commands.ts'
import { testWebhookTransform } from './webhook-transform-command.ts'
import {
  clearMetadata,
  dropInconsistentMetadata,
  exportMetadata,
  inconsistentMetadata,
  reloadMetadata,
  replaceMetadata,
} from './whole-metadata.ts'

/** The commands of /v1/metadata, by `type`. */
export const metadataCommands: ReadonlyMap<string, Carry> = new Map<string, Carry>([
  ['export_metadata', exportMetadata],
  ['replace_metadata', replaceMetadata],
  ['reload_metadata', reloadMetadata],
  ['clear_metadata', clearMetadata],
  ['get_inconsistent_metadata', inconsistentMetadata],
  ['drop_inconsistent_metadata', dropInconsistentMetadata],
  ['get_catalog_state', catalogState],
  ['set_catalog_state', setCatalogState],
  ['pg_invoke_event_trigger', invokeEventTrigger],
  ['pg_redeliver_event', redeliverEvent],
  ['cleanup_event_trigger_logs', cleanUpEventLogs],
  ['pg_get_event_logs', getEventLogs],
  ['pg_get_event_invocation_logs', getEventInvocationLogs],
  ['pg_get_event_by_id', getEventById],
  ['pg_get_source_tables', getSourceTables],
  ['pg_get_table_info', getTableInfo],
  ['pg_get_native_query', getListed('native_queries')],
  ['pg_get_logical_model', getListed('logical_models')],
  ['test_webhook_transform', testWebhookTransform],
  ['create_scheduled_event', createScheduledEvent],
  ['delete_scheduled_event', deleteScheduledEvent],
  ['get_scheduled_events', getScheduledEvents],
  ['get_scheduled_event_invocations', getScheduledEventInvocations],
  ['get_cron_triggers', getCronTriggers],
  ...editCommands,
])
