/**
 * Hasura's names of experimental features. Only the features that the code in `compiler/` looks up have an effect. Each
 * of the other features is always on or always off in this engine.
 */
export const EXPERIMENTAL_FEATURES = [
  'apollo_federation',
  'bigquery_string_numeric_input',
  'disable_postgres_arrays',
  'group_by_aggregations',
  'hide_aggregation_predicates',
  'hide_stream_fields',
  'hide_update_many_fields',
  'inherited_roles',
  'naming_convention',
  'no_null_unbound_variable_default',
  'optimize_permission_filters',
  'remove_empty_subscription_responses',
  'streaming_subscriptions',
] as const

export type ExperimentalFeature = (typeof EXPERIMENTAL_FEATURES)[number]
