import type { PortalScene } from './portal-scene.ts'

/** Somebody who owns a team with one app in it. */
export type AppOwner = Awaited<ReturnType<typeof signUpOwner>>

/** Signs up somebody whose team has an app with the action `vote`. */
export async function signUpOwner({ platform, signup }: PortalScene, { isStaging = true } = {}) {
  const { email } = await signup()
  const { rows } = await platform.db.query(
    `update "user" set email_verified_at = now() from membership
    where email = $1 and user_id = "user".id returning team_id`,
    [email],
  )
  const team: string = rows[0].team_id
  const app = await platform.app({
    team: { id: team, apiKey: '', keyId: '' },
    is_staging: isStaging,
  })
  const action = await platform.action(app)
  return { email, team, app, action, path: `/teams/${team}/apps/${app}` }
}
