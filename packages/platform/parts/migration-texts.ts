import { readdirSync, readFileSync } from 'node:fs'

const MIGRATIONS = new URL('../../../hasura/migrations/default/', import.meta.url)

/** Returns the SQL of every migration of `hasura/` in order, to create a database without Hasura. */
export function migrationTexts(): string[] {
  return readdirSync(MIGRATIONS)
    .sort()
    .map((version) => readFileSync(new URL(`${version}/up.sql`, MIGRATIONS), 'utf8'))
}
