/** Returns SQL for a column with a time as Hasura writes it in JSON: UTC, with `Z`. */
export function columnAsUtc(table: string, column: string): string {
  return `to_json(${table}.${column}::timestamptz at time zone 'utc') #>> '{}' || 'Z' as ${column}`
}
