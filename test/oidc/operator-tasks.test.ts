import { beforeEach, expect } from 'vitest'
import { authorizeUrl, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import type { TestSignIn } from '../support/oidc/start-sign-in.ts'
import { createTokenCalls } from '../support/oidc/token-calls.ts'
import { Visitor } from '../support/oidc/visitor.ts'
import { findTablesWith } from '../support/operations/find-text.ts'
import { createOperator, type Operator } from '../support/operations/operator-commands.ts'
import { ADMIN_SECRET } from '../support/webhooks/platform-environment.ts'

// The effects of the operator's tasks (docs/operations/tasks.md) on sign-ins.

let platform: TestSignIn
let operator: Operator
let client: TestClient

test.beforeAll(async ({ signIn: shared }) => {
  platform = shared
  operator = await createOperator({ url: platform.engine.url, adminSecret: ADMIN_SECRET })
})
beforeEach(async () => {
  client = await registerClient(platform.url)
})

/** A person of this file only. In the other files on the shared server, people sign in with the nullifier 42. */
const NULLIFIER = 4_242_424_242n
const NULLIFIER_HASH = `0x${NULLIFIER.toString(16).padStart(64, '0')}`

const { redeem, userinfo } = createTokenCalls(() => ({
  url: platform.url,
  client,
}))

test('after delete-person no table contains the nullifier, and codes and tokens of the person are invalid', async () => {
  const tokens = await redeem({ code: await makeCode() }, { authorization: client.basic })
  const accessToken = String(tokens.body.access_token)
  const code = await makeCode()
  expect(await findTablesWith(platform.db, NULLIFIER_HASH.slice(2))).toEqual([
    'nullifier',
    'oidc_artifact',
  ])
  expect(await userinfo(accessToken)).toMatchObject({ status: 200 })

  const { data } = await operator.run('delete-person', { NULLIFIER_HASH })
  expect(data.delete_person).toEqual([
    {
      subject_id: expect.stringMatching(/^action_/),
      team_id: expect.stringMatching(/^team_/),
      changes: { uses: { old: 2 }, counted_requests: { old: 0 } },
    },
    {
      subject_id: client.id,
      team_id: data.delete_person[0].team_id,
      changes: { oidc_artifacts: { old: expect.any(Number) } },
    },
  ])
  expect(await findTablesWith(platform.db, NULLIFIER_HASH.slice(2))).toEqual([])
  expect(await userinfo(accessToken)).toMatchObject({ status: 401 })
  expect(await redeem({ code }, { authorization: client.basic })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
})

test('an app of a blocked team begins no sign-in and redeems no code within a few seconds', async () => {
  const code = await makeCode()
  const { rows } = await platform.db.query('select team_id from app where id = $1', [client.id])
  await operator.run('block-team', { TEAM: rows[0].team_id, REASON: 'A test' })
  const begin = async () => (await new Visitor(platform.url).request(authorizeUrl(client))).status
  await expect.poll(begin, { timeout: 10_000, interval: 250 }).toBe(400)
  expect(await redeem({ code }, { authorization: client.basic })).toMatchObject({ status: 401 })
})

async function makeCode(): Promise<string> {
  const back = await new Visitor(platform.url).signIn(authorizeUrl(client), {
    nullifier: NULLIFIER,
  })
  return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
}
