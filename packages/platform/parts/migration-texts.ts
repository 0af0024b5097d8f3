import { readdirSync, readFileSync } from 'node:fs'

const MIGRATIONS = new URL('../../../hasura/migrations/default/', import.meta.url)

/** What every migration of `hasura/` does, in the order in which they are applied: to make a database that needs no Hasura. */
export function migrationTexts(): string[] {
  return readdirSync(MIGRATIONS)
    .sort()
    .map((version) => readFileSync(new URL(`${version}/up.sql`, MIGRATIONS), 'utf8'))
}
