import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { database } from '../support/database.ts'

test('migrations have unique versions, since Hasura applies only one migration of each version', () => {
  const versions = readdirSync(new URL('../../hasura/migrations/default/', import.meta.url)).map(
    (folder) => Number.parseInt(folder, 10),
  )
  expect(new Set(versions).size).toBe(versions.length)
})

test('every migration can be reverted without leftovers, and applied again', async () => {
  const otherDatabase = await database('platform')
  const folder = new URL('../../hasura/migrations/default/', import.meta.url)
  const versions = readdirSync(folder).sort()
  const run = (version: string, direction: 'up' | 'down') =>
    otherDatabase.query(readFileSync(new URL(`${version}/${direction}.sql`, folder), 'utf8'))
  for (const version of versions.toReversed()) await run(version, 'down')
  const { rows } = await otherDatabase.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace union all select proname from pg_proc where pronamespace = 'public'::regnamespace",
  )
  expect(rows).toEqual([])
  for (const version of versions) await run(version, 'up')
  await otherDatabase.drop()
})
