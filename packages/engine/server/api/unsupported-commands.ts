/** Commands of Hasura that this engine does not support. */
export const UNSUPPORTED_COMMANDS: ReadonlySet<string> = new Set([
  // Hasura's internals.
  'dump_internal_state',
  'get_feature_flag',
  // Other kinds of databases, and the console's requests about them.
  'dc_add_agent',
  'dc_delete_agent',
  'get_source_kind_capabilities',
  'get_table_info',
  'list_source_kinds',
  'pg_get_source_trackables',
  'pg_test_connection_template',
  // Ways to read and write rows other than GraphQL and SQL.
  'select',
  'insert',
  'update',
  'delete',
  'count',
  // Stored procedures, which Hasura supports only for SQL Server.
  'pg_get_stored_procedure',
  'pg_track_stored_procedure',
  'pg_untrack_stored_procedure',
  // Telemetry.
  'set_opentelemetry_config',
  'set_opentelemetry_status',
  // Other features that this engine does not have.
  'add_host_to_tls_allowlist',
  'drop_host_from_tls_allowlist',
  'pg_set_apollo_federation_config',
  'pg_suggest_relationships',
  'set_query_tags',
])
