import { own } from '../json/own.ts'

/**
 * The type (as in `Inconsistency`) of the objects that a command makes or changes;
 * null if it drops something.
 */
export type Made = string | null

/** The type of the objects that a command makes. */
export function madeBy(command: string): Made {
  const permission = /^pg_create_(select|insert|update|delete)_permission$/.exec(command)?.[1]
  return permission ? `${permission}_permission` : (own(MADE, command) ?? null)
}

const MADE: Readonly<Record<string, string>> = {
  pg_add_source: 'source',
  pg_track_table: 'table',
  pg_set_table_customization: 'table',
  pg_set_table_is_enum: 'table',
  pg_track_function: 'function',
  pg_set_function_customization: 'function',
  pg_create_function_permission: 'function',
  pg_create_object_relationship: 'object_relation',
  pg_create_array_relationship: 'array_relation',
  pg_add_computed_field: 'computed_field',
  pg_track_native_query: 'native_query',
  pg_track_logical_model: 'logical_model',
  pg_create_logical_model_select_permission: 'logical_model',
  pg_create_event_trigger: 'event_trigger',
  create_action: 'action',
  update_action: 'action',
  create_action_permission: 'action',
  set_custom_types: 'custom_types',
  create_rest_endpoint: 'rest_endpoint',
  create_cron_trigger: 'cron_trigger',
  add_inherited_role: 'inherited_role',
}
