import type { PortalScene } from './portal-scene.ts'

/** Somebody who owns a team with one app in it. */
export type AppOwner = Awaited<ReturnType<typeof signUpOwner>>

/** Signs up somebody whose team has an app with the action `vote`. */
export async function signUpOwner(
  { platform, makePerson }: PortalScene,
  { isStaging = true } = {},
) {
  const { email, team } = await makePerson()
  const app = await platform.app({
    team: { id: team, apiKey: '', keyId: '' },
    is_staging: isStaging,
  })
  const action = await platform.action(app)
  return { email, team, app, action, path: `/teams/${team}/apps/${app}` }
}
