import type { Team } from './platform-rows.ts'
import { test } from './platform-test.ts'
import type { TestPlatform } from './start-platform.ts'

/** The platform that files share in which teams enter payments. */
export let platform: TestPlatform
/** Has the app that is paid. */
export let team: Team
/** Another team, which the payments are nothing of. */
export let stranger: Team
export let app: string

/** Sets the scene for the file that calls this. */
export function setTheScene(): void {
  test.beforeAll(async ({ platform: shared }) => {
    platform = shared
    team = await platform.team()
    stranger = await platform.team()
    app = await platform.app({ team })
  })
}
