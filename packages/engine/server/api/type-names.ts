import { ownValue } from '../../json/own-value.ts'

/** The name that Hasura has for a type of the database. */
export function hasuraTypeName(name: string): string {
  return ownValue(HASURA_NAMES, name) ?? name
}

/** Types for which Hasura uses another name than PostgreSQL's catalogue. */
const HASURA_NAMES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  float4: 'real',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
}
