/** A column with a time, as Hasura writes it in JSON. */
export function utc(table: string, column: string): string {
  return `to_json(${table}.${column}::timestamptz at time zone 'utc') #>> '{}' || 'Z' as ${column}`
}
