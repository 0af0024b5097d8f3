/** The admin secret of the engines under test. */
export const ADMIN_SECRET = 'the secret of a test'

/** The session of a role. Each session variable of the metadata is a UUID until an error shows which type PostgreSQL expects. */
export type RoleSession = {
  headers(): Record<string, string>
  /** Learns the type of a variable from an error of PostgreSQL. @returns true if a retry can succeed */
  learn(message: string): boolean
}

/** Makes a different UUID for each variable, so that an error about the value identifies the variable. */
function uuidOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
}

/** Values by the types that PostgreSQL names when it rejects a UUID. */
const VALUES: readonly [RegExp, string][] = [
  [/integer|bigint|smallint|numeric|double|real|oid/, '1'],
  [/boolean/, 'true'],
  [/array/, '{}'],
  [/json/, '{}'],
  [/timestamp|date/, '2030-01-02'],
]

/** @param document the metadata */
export function roleSession(role: string, document: Record<string, unknown> | null): RoleSession {
  const names = new Set(
    [...JSON.stringify(document ?? {}).matchAll(/"(x-hasura-[\w-]*)"/gi)].map(([, name]) =>
      String(name).toLowerCase(),
    ),
  )
  for (const name of ['x-hasura-role', 'x-hasura-admin-secret']) names.delete(name)
  const values = new Map([...names].map((name, i) => [name, uuidOf(i)]))
  return {
    headers: () => ({
      ...Object.fromEntries(values),
      'x-hasura-role': role,
      'x-hasura-admin-secret': ADMIN_SECRET,
    }),
    learn(message) {
      const quoted = /"(00000000-0000-4000-8000-\d{12})"/.exec(message)?.[1]
      const name = [...values].find(([, value]) => value === quoted)?.[0]
      const value = VALUES.find(([type]) => type.test(message))?.[1]
      if (name === undefined || value === undefined) return false
      values.set(name, value)
      return true
    },
  }
}
