/**
 * What `dev` says where no engine could build the project from its own folder: PostgreSQL refuses a migration, or the folder is no
 * project of config v3, or a file is missing that another one includes.
 */
const OWN_FAILURES =
  /migration \S+: |multiple declarations|not allowed in value_from_env|no up\.sql|config v2|projects of version 3|no config\.yaml|(is|but) missing|no such file|ENOENT/

/** Whether a project does not start because of what is in its folder. */
export function isOwnFailure(failure: string): boolean {
  return OWN_FAILURES.test(failure)
}

/** Reasons of objects that need something which the migrations do not make, or which runs elsewhere. */
const OWN_REASONS =
  /does not exist|its table is not available|must have at least one row|field '\w+' not found in object|no such (column|function)|no foreign (key )?constraint|remote schema|connection refused|ECONNREFUSED/i

/**
 * Whether an object is not served because no database has what it needs, or because it is elsewhere.
 *
 * @param relations the names of all tables and views of the project's databases, with and without their schemas
 */
export function isOwnFault(
  { type, reason }: { type: string; reason: string },
  relations: ReadonlySet<string>,
): boolean {
  const table = /no such table\/view exists in source: "([^"]+)"/.exec(reason)?.[1]
  if (table !== undefined) return !relations.has(table)
  return type === 'remote_schema' || OWN_REASONS.test(reason)
}
