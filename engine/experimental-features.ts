import type { RootFieldKind } from './model/model.ts'

/** What Hasura calls experimental. Those that are not asked for below are always there, or never. */
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

/** Root fields that can be hidden, for those who have tables by their names. */
const HIDING: Readonly<Partial<Record<RootFieldKind, ExperimentalFeature>>> = {
  select_stream: 'hide_stream_fields',
  update_many: 'hide_update_many_fields',
}

/** Whether tables have root fields of this kind. */
export function offers(features: readonly ExperimentalFeature[], kind: RootFieldKind): boolean {
  const hiding = HIDING[kind]
  return hiding === undefined || !features.includes(hiding)
}
