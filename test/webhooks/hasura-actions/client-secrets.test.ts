import { describe, expect } from 'vitest'
import { hashSecret } from '../../../lib/runtime/secrets/secret.ts'
import { callAction, type Person } from '../../support/webhooks/people.ts'
import { CLIENT_SECRET_PEPPER } from '../../support/webhooks/platform-environment.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import {
  codeOf,
  join,
  keySession,
  makeApp,
  owner,
  platform,
  setTheScene,
  stranger,
} from '../../support/webhooks/team-scene.ts'

setTheScene()

describe('reset_client_secret returns a new secret for an app', () => {
  test.each(['OWNER', 'ADMIN'])(
    "reset_client_secret returns a new secret to an %s of the app's team",
    async (role) => {
      const app = await makeApp(owner.team)
      if (role !== 'OWNER') await join(stranger, owner.team, role)
      const caller = role === 'OWNER' ? owner : stranger
      const answer = await resetSecret(caller, app)
      const secret = answer.data.reset_client_secret.client_secret
      expect(secret).toMatch(/^sk_[0-9a-f]{48}$/)
      const { rows } = await platform.db.query(
        'select secret_hash from sign_in_client where app_id = $1',
        [app],
      )
      const hash = hashSecret([CLIENT_SECRET_PEPPER], secret)
      expect(rows).toEqual([{ secret_hash: hash }])
    },
  )

  test.each(['MEMBER', null])(
    'reset_client_secret rejects a caller with the role %s',
    async (role) => {
      const app = await makeApp(owner.team)
      if (role) await join(stranger, owner.team, role)
      expect(codeOf(await resetSecret(stranger, app))).toBe('permission_denied')
    },
  )

  test("reset_client_secret returns a new secret to an API key of the app's team, and rejects apps of other teams", async () => {
    const team = await platform.team()
    const app = await platform.app({ team })
    const query = 'mutation ($app: String!) { reset_client_secret(app_id: $app) { client_secret } }'
    const { body } = await keyRequest(team, query, { app })
    const secret = Object(body).data.reset_client_secret.client_secret
    const { rows } = await platform.db.query(
      `select secret_hash, actor_role, actor_id, audit.team_id from sign_in_client
      join audit on subject = 'sign_in_client' and subject_id = app_id where app_id = $1`,
      [app],
    )
    const secret_hash = hashSecret([CLIENT_SECRET_PEPPER], secret)
    const by = { actor_role: 'api_key', actor_id: team.keyId, team_id: team.id }
    expect(rows).toEqual([{ secret_hash, ...by }])
    const foreign = await makeApp(owner.team)
    const foreignReply = await keyRequest(team, query, { app: foreign })
    expect(codeOf(Object(foreignReply.body))).toBe('permission_denied')
  })

  test('reset_client_secret and invite_team_members reject a key that was revoked during the request', async () => {
    const team = await platform.team()
    const app_id = await platform.app({ team })
    await platform.db.query('update api_key set is_active = false where id = $1', [team.keyId])
    for (const [name, input] of [
      ['reset_client_secret', { app_id }],
      ['invite_team_members', { team_id: team.id, emails: ['guest@example.com'] }],
    ] as const) {
      const { body } = await callAction(platform, name, input, keySession(team))
      expect(body).toMatchObject({ extensions: { code: 'permission_denied' } })
    }
    const { rows } = await platform.db.query('select from invite where team_id = $1', [team.id])
    expect(rows).toEqual([])
  })

  test('reset_client_secret rejects an archived app', async () => {
    const app = await makeApp(owner.team)
    await platform.db.query('update app set is_archived = true where id = $1', [app])
    expect(codeOf(await resetSecret(owner, app))).toBe('permission_denied')
  })
})

describe('remove_client_secret makes an app a public client', () => {
  test.each(['OWNER', 'ADMIN'])(
    'remove_client_secret removes the secret for an %s, and reset_client_secret creates another',
    async (role) => {
      const app = await makeApp(owner.team)
      if (role !== 'OWNER') await join(stranger, owner.team, role)
      const caller = role === 'OWNER' ? owner : stranger
      await resetSecret(caller, app)
      for (const _again of [1, 2]) {
        const { data } = await removeSecret(caller, app)
        expect(data).toEqual({ remove_client_secret: { client_id: app } })
        expect(await clientOf(app)).toEqual([{ secret_hash: null, is_public: true }])
      }
      const { data } = await resetSecret(caller, app)
      const { client_secret } = data.reset_client_secret
      const secret_hash = hashSecret([CLIENT_SECRET_PEPPER], client_secret)
      expect(await clientOf(app)).toEqual([{ secret_hash, is_public: false }])
    },
  )

  test('remove_client_secret works for an app without a secret, and for an API key', async () => {
    const team = await platform.team()
    const app = await platform.app({ team })
    const query = 'mutation ($app: String!) { remove_client_secret(app_id: $app) { client_id } }'
    const { body } = await keyRequest(team, query, { app })
    expect(body).toEqual({ data: { remove_client_secret: { client_id: app } } })
    expect(await clientOf(app)).toEqual([{ secret_hash: null, is_public: true }])
  })

  test('remove_client_secret rejects members, strangers, other teams and archived apps', async () => {
    const app = await makeApp(owner.team)
    expect(codeOf(await removeSecret(stranger, app))).toBe('permission_denied')
    await join(stranger, owner.team, 'MEMBER')
    expect(codeOf(await removeSecret(stranger, app))).toBe('permission_denied')
    const otherTeam = await platform.team()
    const query = `mutation { remove_client_secret(app_id: "${app}") { client_id } }`
    const { body } = await keyRequest(otherTeam, query, {})
    expect(codeOf(Object(body))).toBe('permission_denied')
    await platform.db.query('update app set is_archived = true where id = $1', [app])
    expect(codeOf(await removeSecret(owner, app))).toBe('permission_denied')
    expect(await clientOf(app)).toEqual([])
  })
})

async function clientOf(app: string) {
  const { rows } = await platform.db.query(
    'select secret_hash, is_public from sign_in_client where app_id = $1',
    [app],
  )
  return rows
}

async function keyRequest({ apiKey }: { apiKey: string }, query: string, variables: object) {
  return platform.post('/v1/graphql', { query, variables }, { authorization: `Bearer ${apiKey}` })
}

async function resetSecret(caller: Person, app: string) {
  const query = 'mutation ($app: String!) { reset_client_secret(app_id: $app) { client_secret } }'
  return caller.graphql(query, { app })
}

async function removeSecret(caller: Person, app: string) {
  const query = 'mutation ($app: String!) { remove_client_secret(app_id: $app) { client_id } }'
  return caller.graphql(query, { app })
}
