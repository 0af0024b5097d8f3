import { ownValue } from '../../json/own-value.ts'

/** Returns Hasura's name of a type of the database. */
export function hasuraTypeName(name: string): string {
  return ownValue(HASURA_NAMES, name) ?? name
}

/** Hasura's names of types that PostgreSQL's catalogue calls otherwise. */
const HASURA_NAMES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  float4: 'real',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
}
