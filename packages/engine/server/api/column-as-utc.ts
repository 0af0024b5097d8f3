/** Returns SQL that writes a column with a time as Hasura does in JSON: in UTC, with `Z`. */
export function columnAsUtc(table: string, column: string): string {
  return `to_json(${table}.${column}::timestamptz at time zone 'utc') #>> '{}' || 'Z' as ${column}`
}
