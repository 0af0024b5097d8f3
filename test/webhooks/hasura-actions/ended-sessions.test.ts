import { describe, expect } from 'vitest'
import { z } from 'zod'
import { openSocket } from '../../../packages/engine/test/support/socket.ts'
import { hasuraActions } from '../../../webhooks/hasura-actions/actions.ts'
import { PASSWORD } from '../../support/webhooks/mailboxes.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { owner, platform, setTheScene } from '../../support/webhooks/team-scene.ts'

// By default a WebSocket keeps its session for a minute, even if its API key is revoked or its login ends. So each action
// checks the key or the login again.

setTheScene()

/** A call of each action with arguments that its schema accepts. `isForKeys` is true if API keys may call the action. */
const CALLS: Readonly<Record<string, { query: string; isForKeys?: boolean }>> = {
  accept_invite: { query: 'mutation { accept_invite(token: "x") { team_id } }' },
  action_stats: {
    query: '{ action_stats(action_id: "x", from: "2026-01-01", to: "2026-01-02") { persons } }',
    isForKeys: true,
  },
  change_email: {
    query: `mutation { change_email(password: "${PASSWORD}", email: "new@example.com") { success } }`,
  },
  change_password: {
    query: `mutation { change_password(current_password: "${PASSWORD}", new_password: "indifference") { success } }`,
  },
  check_proof: {
    query:
      'query ($p: jsonb!) { check_proof(app_id: "x", action: "x", proof: $p) { checks { name } } }',
    isForKeys: true,
  },
  claim_client: {
    query:
      'mutation { claim_client(team_id: "$team", client_id: "x", registration_access_token: "x") { client_id } }',
    isForKeys: true,
  },
  create_api_key: { query: 'mutation { create_api_key(team_id: "$team", name: "x") { id } }' },
  create_request_key: {
    query: 'mutation { create_request_key(app_id: "x") { private_key } }',
    isForKeys: true,
  },
  create_team: { query: 'mutation { create_team(name: "x") { team_id } }' },
  delete_account: {
    query: `mutation { delete_account(password: "${PASSWORD}") { success } }`,
  },
  delete_team: { query: 'mutation { delete_team(team_id: "$team") { success } }' },
  invite_team_members: {
    query:
      'mutation { invite_team_members(team_id: "$team", emails: ["guest@example.com"]) { emails } }',
    isForKeys: true,
  },
  remove_client_secret: {
    query: 'mutation { remove_client_secret(app_id: "x") { client_id } }',
    isForKeys: true,
  },
  reset_api_key: { query: 'mutation { reset_api_key(id: "x") { api_key } }' },
  reset_client_secret: {
    query: 'mutation { reset_client_secret(app_id: "x") { client_secret } }',
    isForKeys: true,
  },
  rotate_request_key: {
    query: 'mutation { rotate_request_key(app_id: "x") { private_key } }',
    isForKeys: true,
  },
  team_stats: {
    query: '{ team_stats(team_id: "$team", hours: 24, spans: 30) { persons } }',
    isForKeys: true,
  },
}

test('CALLS has a call of every action', () => {
  expect(Object.keys(CALLS)).toEqual(Object.keys(hasuraActions))
})

describe('a session that has ended gets permission_denied on an open socket', () => {
  test('a revoked key gets permission_denied from every action for keys on an open socket', async () => {
    const keyTeam = await platform.team()
    const socket = await openSessionSocket(keyTeam.apiKey)
    await platform.db.query('update api_key set is_active = false where id = $1', [keyTeam.keyId])
    for (const [name, { query, isForKeys }] of Object.entries(CALLS))
      if (isForKeys)
        expect(await refusalOf(socket, query, keyTeam.id), name).toEqual({
          message: 'This API key has been revoked.',
          code: 'permission_denied',
        })
    socket.ws.terminate()
    const { rows } = await platform.db.query('select from invite where team_id = $1', [keyTeam.id])
    expect(rows).toEqual([])
  })

  test('an ended login gets permission_denied from every action on an open socket', async () => {
    const account = { email: owner.email, password: PASSWORD }
    const { body } = await platform.post('/api/v1/login', account)
    const socket = await openSessionSocket(String(Object(body).token))
    await platform.db.query('delete from login where user_id = $1', [owner.id])
    for (const [name, { query }] of Object.entries(CALLS))
      expect(await refusalOf(socket, query, owner.team), name).toEqual({
        message: 'This login has ended.',
        code: 'permission_denied',
      })
    socket.ws.terminate()
    const { rows } = await platform.db.query('select from api_key where team_id = $1', [owner.team])
    expect(rows).toEqual([])
  })
})

type Socket = Awaited<ReturnType<typeof openSocket>>

/** Opens a socket that is authenticated with these credentials. */
async function openSessionSocket(credentials: string): Promise<Socket> {
  const headers = { authorization: `Bearer ${credentials}` }
  const socket = await openSocket(platform.baseUrl, 'graphql-transport-ws', headers)
  socket.send({ type: 'connection_init' })
  expect(await socket.next()).toEqual({ type: 'connection_ack' })
  return socket
}

const Refusal = z.object({
  type: z.literal('error'),
  payload: z.tuple([z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })]),
})

async function refusalOf(socket: Socket, query: string, team: string) {
  const variables = query.includes('$p:') ? { p: {} } : {}
  const payload = { query: query.replace('$team', team), variables }
  const id = crypto.randomUUID()
  socket.send({ type: 'subscribe', id, payload })
  let message = await socket.next()
  // The engine also completes the previous operation, which has failed.
  while (message.id !== id) message = await socket.next()
  const [{ message: text, extensions }] = Refusal.parse(message).payload
  return { message: text, code: extensions.code }
}
