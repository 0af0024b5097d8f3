import type { Person } from '../webhooks/people.ts'
import type { PortalScene } from './portal-scene.ts'

/** Creates data for every page of a team. */
export async function fillTeam(scene: PortalScene, { graphql, team: teamId }: Person) {
  const { platform } = scene
  const { data } = await graphql(
    `mutation ($team: String!) {
      insert_app_one(object: { name: "Club", team_id: $team, is_staging: true }) { id }
    }`,
    { team: teamId },
  )
  const appId: string = data.insert_app_one.id
  const created = await graphql(
    `mutation ($app: String!) {
      insert_action_one(object: { app_id: $app, action: "join", name: "Join", max_verifications: 1 }) { id }
      insert_redirect_one(object: { app_id: $app, redirect_uri: "https://example.com/callback" }) { id }
    }`,
    { app: appId },
  )
  await platform.db.query(
    `insert into transaction (app_id, type, reference, chain, transaction_hash, token, token_amount, "to", transaction_status, failure_reason)
    select $1, 'payment', 'order-' || n, 'worldchain', '0x' || lpad(to_hex(n), 64, '0'), 'USDCE', '1000', '0x' || repeat('a', 40), status, reason
    from (values (1, 'pending', null), (2, 'mined', null), (3, 'failed', 'reverted')) as rows (n, status, reason)`,
    [appId],
  )
  await platform.db.query(
    `insert into refused_request (app_id, endpoint, code, attribute, detail, reasons, request_id, times)
    values
      ($1, '/api/v2/verify', 'invalid_merkle_root', 'merkle_root', 'No group that proves this level has this Merkle root.', '[]', gen_random_uuid(), 3),
      ($1, '/token', 'unauthenticated', null, 'Credentials are missing or wrong.', '[]', gen_random_uuid(), 1)`,
    [appId],
  )
  await graphql(`mutation { create_request_key(app_id: "${appId}") { id } }`)
  await graphql(`mutation { create_api_key(team_id: "${teamId}", name: "Server") { id } }`)
  await graphql(
    `mutation { invite_team_members(team_id: "${teamId}", emails: ["grace@example.com"]) { emails } }`,
  )
  await scene.verifyPerson(appId, 'join')
  return { teamId, appId, actionId: created.data.insert_action_one.id }
}
