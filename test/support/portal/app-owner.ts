import type { PortalScene } from './portal-scene.ts'

/** A user who owns a team with one app. */
export type AppOwner = Awaited<ReturnType<typeof signUpOwner>>

/** Signs up a user, and creates an app with the action `vote` in the user's team. */
export async function signUpOwner(
  { platform, createUser }: PortalScene,
  { isStaging = true } = {},
) {
  const { email, team } = await createUser()
  const app = await platform.app({
    team: { id: team, apiKey: '', keyId: '' },
    is_staging: isStaging,
  })
  const action = await platform.action(app)
  return { email, team, app, action, path: `/teams/${team}/apps/${app}` }
}
