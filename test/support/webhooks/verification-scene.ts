import { afterAll, beforeAll } from 'vitest'
import { publishRoot } from '../../../local/chain/publish-root.ts'
import { forgeRequest } from './forge-request.ts'
import { test } from './platform-test.ts'
import { startTestPlatform, type TestPlatform } from './start-platform.ts'

/** The newest root of the staging group. */
export const ROOT = 4711n

/** A platform, and an app of a team with the action `vote`. */
export let platform: TestPlatform
export let team: Awaited<ReturnType<TestPlatform['team']>>
export let app: string

/** Sets the scene on the shared platform. */
export function setTheScene(): void {
  test.beforeAll(({ platform: shared }) => setOn(shared))
}

/** Sets the scene on a new platform. The file may change its clock, keys and roots. */
export function setTheSceneApart(): void {
  beforeAll(async () => setOn(await startTestPlatform()))
  afterAll(() => platform.stop())
}

async function setOn(sharedPlatform: TestPlatform) {
  platform = sharedPlatform
  team = await platform.team()
  app = await platform.app({ team })
  await platform.action(app)
  await publish(ROOT)
}

type Change = Partial<Parameters<typeof forgeRequest>[0]>
let people = 1_000_000n

/** Forges a request of a new person, or of the person in `change`. */
export function request(change: Change = {}) {
  people += 1n
  return forgeRequest({ app, action: 'vote', root: ROOT, nullifier: people, ...change })
}

export function verify(body: object, id = app) {
  return platform.post(`/api/v2/verify/${encodeURIComponent(id)}`, body)
}

export function publish(root: bigint, group: 'production' | 'staging' = 'staging') {
  return publishRoot({ rpcUrl: platform.anvil.rpcUrl, group, root })
}

export async function createChangedApp(change: string): Promise<string> {
  const id = await platform.app({ team })
  await platform.action(id)
  await platform.db.query(`update app set ${change} where id = $1`, [id])
  return id
}
