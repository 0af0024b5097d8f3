/**
 * Messages of `dev` about projects that no engine can build from their folders: PostgreSQL rejects a migration, the folder is not a
 * project of config v3, or an included file is missing.
 */
const PROJECT_FAILURES =
  /migration \S+: |multiple declarations|not allowed in value_from_env|no up\.sql|config v2|projects of version 3|no config\.yaml|(is|but) missing|no such file|ENOENT/

/** Reports whether the project's own folder is the reason of a failure. */
export function isProjectFailure(failure: string): boolean {
  return PROJECT_FAILURES.test(failure)
}

/** Reasons why an object is inconsistent through no fault of the engine: no migration creates its table, or another server has it. */
const PROJECT_FAULT_REASONS =
  /does not exist|its table is not available|must have at least one row|field '\w+' not found in object|no such (column|function)|no foreign (key )?constraint|remote schema|connection refused|ECONNREFUSED/i

/**
 * Reports whether no engine could serve an object here: the databases lack its table or column, or another server has it.
 *
 * @param relations the names of all tables and views of the project's databases, with and without their schemas
 */
export function isProjectFault(
  { type, reason }: { type: string; reason: string },
  relations: ReadonlySet<string>,
): boolean {
  const table = /no such table\/view exists in source: "([^"]+)"/.exec(reason)?.[1]
  if (table !== undefined) return !relations.has(table)
  return type === 'remote_schema' || PROJECT_FAULT_REASONS.test(reason)
}
