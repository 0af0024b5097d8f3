import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { runImport } from '../../packages/platform/test/support/run-import.ts'
import { ADMIN_SECRET } from '../support/webhooks/platform-environment.ts'
import {
  platform,
  request,
  setTheSceneApart,
  team,
  verify,
} from '../support/webhooks/verification-scene.ts'

// The effects of an import (docs/operations/import.md) on callers of the developer API.

const APP = 'app_staging_0123456789abcdef0123456789abcdef'

setTheSceneApart()

test('an imported person is rejected at the limit, and a person with uses left verifies as often as the rest allows', async () => {
  await importPeople([
    { action: 'vote', nullifier_hash: '0xabc', uses: 1 },
    { action: 'claim', nullifier_hash: '0xabc', uses: 1, created_at: '2024-01-02T03:04:05Z' },
  ])
  expect(await verifyPerson('vote', 0xabcn)).toEqual([400, 'max_verifications_reached'])
  expect(await verifyPerson('vote', 0xdefn)).toEqual([200, undefined])
  const body = await request({ app: APP, action: 'claim', nullifier: 0xabcn })
  expect(await verify(body, APP)).toMatchObject({
    status: 200,
    body: { uses: 2, max_uses: 2, created_at: expect.stringMatching(/^2024-01-0[123]T/) },
  })
  expect(await verifyPerson('claim', 0xabcn)).toEqual([400, 'max_verifications_reached'])
})

async function verifyPerson(action: string, nullifier: bigint) {
  const { status, body } = await verify(await request({ app: APP, action, nullifier }), APP)
  return [status, Object(body).code]
}

async function importPeople(people: readonly object[]) {
  const file = join(temporaryFolder('imported-'), 'people.jsonl')
  const lines = [
    { type: 'app', id: APP, name: 'Votes', is_staging: true },
    { type: 'action', action: 'vote', max_verifications: 1 },
    { type: 'action', action: 'claim', max_verifications: 2 },
    ...people.map((person) => ({ type: 'person', ...person })),
    { type: 'end', people: people.length },
  ]
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const graphql = `${platform.engine.url}/v1/graphql`
  const options = ['--app', APP, '--team', team.id, '--file', file, '--graphql', graphql]
  const { code, error } = await runImport(options, { HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET })
  expect([code, error]).toEqual([0, ''])
}
