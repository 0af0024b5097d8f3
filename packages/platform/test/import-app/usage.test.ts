import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { runImport } from '../support/run-import.ts'

const path = join(temporaryFolder('usage-'), 'people.jsonl')
const DOWNLOAD = ['--app', 'app_0', '--file', path, '--download', '--world', 'http://127.0.0.1:9']
const TEAM = ['--team', 'team_0']
const SECRET = { HASURA_GRAPHQL_ADMIN_SECRET: 'secret' }

test.each([
  ['--app is missing.', [], {}],
  ['--file is missing.', ['--app', 'app_0'], {}],
  ['--team is missing.', DOWNLOAD, { ...SECRET, WORLD_API_KEY: 'key' }],
  [
    'The environment variable HASURA_GRAPHQL_ADMIN_SECRET is missing.',
    [...DOWNLOAD, ...TEAM],
    { WORLD_API_KEY: 'key' },
  ],
  ['The environment variable WORLD_API_KEY is missing.', [...DOWNLOAD, ...TEAM], SECRET],
  [
    '--missing-uses must be 1 or limit; got 2.',
    [...DOWNLOAD, ...TEAM, '--missing-uses', '2'],
    { ...SECRET, WORLD_API_KEY: 'key' },
  ],
])('wrong usage exits with 2 before anything is downloaded: %s', async (message, args, env) => {
  const { code, output, error } = await runImport(args, env)
  expect([code, output, error.split('\n')[0]]).toEqual([2, '', message])
  expect(existsSync(path)).toBe(false)
})
