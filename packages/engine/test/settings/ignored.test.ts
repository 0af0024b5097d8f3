import { expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { SETTING_VARIABLES } from '../../config/config.ts'
import { ignoredVariables } from '../../config/ignored-variables.ts'
import { logLines } from '../support/log/log-lines.ts'
import { startEngine } from '../support/start-engine.ts'

test('an engine logs each variable without effect at the start', async () => {
  const db = await database()
  const engine = await startEngine(db.url, {
    HASURA_GRAPHQL_ENABLE_TELEMETRY: 'false',
    HASURA_GRAPHQL_UNAUTHORISED_ROLE: 'anonymous',
  })
  // The test reads the whole output only after the end: an engine can answer before its lines arrive.
  await engine.stop()
  await db.drop()
  const warnings = logLines(engine).filter(
    ({ detail }) => detail.message === 'a variable has no effect',
  )
  expect(warnings).toEqual([
    expect.objectContaining({
      level: 'warn',
      detail: expect.objectContaining({ variable: 'HASURA_GRAPHQL_ENABLE_TELEMETRY' }),
    }),
    expect.objectContaining({
      level: 'warn',
      detail: {
        message: 'a variable has no effect',
        variable: 'HASURA_GRAPHQL_UNAUTHORISED_ROLE',
        reason: 'did you mean HASURA_GRAPHQL_UNAUTHORIZED_ROLE?',
      },
    }),
  ])
})

test.each([
  ['a variable that only Hasura reads', 'HASURA_GRAPHQL_PG_STRIPES', /Hasura reads it/],
  ['a variable of Hasura’s paid edition', 'HASURA_GRAPHQL_ADMIN_SECRETS', /did you mean/],
  [
    'a variable that no program reads',
    'HASURA_GRAPHQL_HANDLER',
    /neither Hasura's community edition nor this engine/,
  ],
  ['a misspelt limit', 'ENGINE_CALLER_MAX_COTS', /did you mean ENGINE_CALLER_MAX_COST\?/],
])('%s is reported as having no effect', (_what, variable, reason) => {
  expect(ignoredVariables({ [variable]: '1' }, {})).toEqual([
    { variable, reason: expect.stringMatching(reason) },
  ])
})

test.each([
  ['a setting', { HASURA_GRAPHQL_ACCESS_KEY: '1', ENGINE_CALLER_MAX_COST: '1' }],
  ['an empty variable', { HASURA_GRAPHQL_PG_STRIPES: '' }],
  ['a variable of the command line', { HASURA_GRAPHQL_ENDPOINT: 'http://localhost' }],
  ['a variable that the metadata names', { HASURA_GRAPHQL_HANDLER: '1' }],
  ['a variable of another program', { ENGINE_PORT: '1', PATH: '/bin' }],
])('%s is not reported', (_what, environment) => {
  const metadata = { actions: [{ handler: 'http://{{HASURA_GRAPHQL_HANDLER}}/act' }] }
  expect(ignoredVariables(environment, metadata)).toEqual([])
})

test('no variable sets two settings', () => {
  expect(new Set(SETTING_VARIABLES).size).toBe(SETTING_VARIABLES.length)
})
