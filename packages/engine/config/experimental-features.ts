/**
 * Hasura's names of experimental features. Only the features that `model/`, `schema/` or `plan/` looks up have an
 * effect. This engine always behaves as if each of the other features were on, or always as if it were off.
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
