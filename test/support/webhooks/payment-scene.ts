import type { Team } from './platform-rows.ts'
import { test } from './platform-test.ts'
import type { TestPlatform } from './start-platform.ts'

/** The shared platform. */
export let platform: TestPlatform
/** The team of the app that is paid. */
export let team: Team
/** Another team, which may not see the payments. */
export let stranger: Team
export let app: string

/** Sets the scene for the calling file: two teams, and an app that is paid. */
export function setTheScene(): void {
  test.beforeAll(async ({ platform: shared }) => {
    platform = shared
    team = await platform.team()
    stranger = await platform.team()
    app = await platform.app({ team })
  })
}
