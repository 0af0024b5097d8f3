import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'
import { isInstalled, runToEnd } from '../support/docs/programs.ts'

let db: Database

beforeAll(async () => {
  db = await database('platform')
})
afterAll(() => db.drop())

describe.skipIf(!isInstalled('psql'))(
  'a script names the variable that its call leaves out',
  () => {
    test.each([
      ['export-team', 'team', 'team_…'],
      ['delete-action', 'action', 'action_…'],
    ])(
      '%s.sql without --set %s ends with the name of the variable',
      async (script, name, example) => {
        const command = ['psql', db.url, '--quiet', '--file', `ops/${script}.sql`]
        const { code, output } = await runToEnd(command, { env: {} })
        expect(output).toContain(
          `the variable ${name} is missing: pass --set ${name}=${example} to psql`,
        )
        expect(output).not.toContain('syntax error')
        expect(code).toBe(3)
      },
    )
  },
)
