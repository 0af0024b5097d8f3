/** The commands of Hasura that this engine knows by name only: it has nothing for them to work on. */
export const UNSUPPORTED: ReadonlySet<string> = new Set([
  // Hasura's own insides.
  'dump_internal_state',
  'get_feature_flag',
  // Other kinds of databases, and more than one of them.
  'dc_add_agent',
  'dc_delete_agent',
  'get_source_kind_capabilities',
  'get_table_info',
  'list_source_kinds',
  'pg_get_source_trackables',
  'pg_test_connection_template',
  'pg_update_source',
  'rename_source',
  // Reading and writing rows by other means than GraphQL and SQL.
  ...['select', 'insert', 'update', 'delete', 'count'].flatMap((type) => [type, `pg_${type}`]),
  // Stored procedures are of other databases.
  'pg_get_stored_procedure',
  'pg_track_stored_procedure',
  'pg_untrack_stored_procedure',
  // Remote schemas, and relationships to them.
  'add_remote_schema',
  'add_remote_schema_permissions',
  'create_remote_schema_remote_relationship',
  'delete_remote_schema_remote_relationship',
  'drop_remote_schema_permissions',
  'introspect_remote_schema',
  'pg_create_remote_relationship',
  'pg_delete_remote_relationship',
  'pg_update_remote_relationship',
  'reload_remote_schema',
  'update_remote_schema',
  'update_remote_schema_remote_relationship',
  // Telemetry.
  'set_opentelemetry_config',
  'set_opentelemetry_status',
  // What changes nothing that this engine does.
  'add_host_to_tls_allowlist',
  'drop_host_from_tls_allowlist',
  'pg_set_apollo_federation_config',
  'pg_suggest_relationships',
  'set_query_tags',
])
