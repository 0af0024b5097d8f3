import { test as anyTest } from 'vitest'
import { givenHasura } from '../hasura/given-hasura.ts'
import { startTestPlatform, type TestPlatform } from './start-platform.ts'

/**
 * The `test` function of files that share one developer API for each worker, because starting an instance takes as long as
 * many tests. Each file creates its own teams, apps and people. A file that changes the clock, a quota, the chain or the
 * engine, uses up a limit, or counts all rows of a table starts a separate platform. The end of each file fails if a response
 * differed from `/openapi.json`, because vitest does not report failures at the end of a worker.
 */
export const test = anyTest
  .extend(
    'runningPlatform',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's dependencies from the pattern
    async ({}, { onCleanup }) => {
      const platform = await startTestPlatform()
      if (isShared) onCleanup(() => platform.stop())
      return platform
    },
  )
  .extend('platform', { scope: 'file' }, async ({ runningPlatform }, { onCleanup }) => {
    onCleanup(() => giveBack(runningPlatform))
    return runningPlatform
  })
  .extend(
    'runningPlatformWithActions',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, { onCleanup }) => {
      const platform = await startTestPlatform({}, (baseUrl) => ({ WEBHOOKS_URL: baseUrl }))
      if (isShared) onCleanup(() => platform.stop())
      return platform
    },
  )
  /** A platform with an engine that sends the requests of actions, event triggers and due cron triggers to the developer API. */
  .extend(
    'platformWithActions',
    { scope: 'file' },
    async ({ runningPlatformWithActions }, { onCleanup }) => {
      onCleanup(() => giveBack(runningPlatformWithActions))
      return runningPlatformWithActions
    },
  )

/**
 * A configured Hasura serves one platform at a time, so each file has its own worker and platform.
 * The file stops its platform, because vitest starts the next file before a worker has cleaned up.
 */
const isShared = givenHasura() === null

async function giveBack(platform: TestPlatform) {
  // Ends the transaction of a test that failed in the middle.
  await platform.db.query('rollback')
  if (isShared) platform.expectDocumented()
  else await platform.stop()
}
