import { test as anyTest } from 'vitest'
import { givenHasura } from '../hasura/given-hasura.ts'
import { startTestPlatform, type TestPlatform } from './start-platform.ts'

/**
 * Tests of a developer API that all files of a worker share: to start one takes as long as many tests. Each file makes teams,
 * apps and people of its own, and leaves all else as it was: the clock, quotas, the chain, the engine, rows that others made.
 * A file that changes one of them, uses up a limit, or counts all rows of a table starts a platform itself. At a file's end,
 * what it was answered is compared with `/openapi.json`: of what fails at the end of a worker, vitest says nothing.
 */
export const test = anyTest
  .extend(
    'runningPlatform',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that this needs nothing else
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
  /** One whose engine calls it: for actions and event triggers, and whenever a cron trigger is due. */
  .extend(
    'platformWithActions',
    { scope: 'file' },
    async ({ runningPlatformWithActions }, { onCleanup }) => {
      onCleanup(() => giveBack(runningPlatformWithActions))
      return runningPlatformWithActions
    },
  )

/**
 * On a given Hasura, which serves one platform at a time, each file has a worker and a platform of its own. The file stops it:
 * vitest goes on to the next one before a worker has cleaned up.
 */
const isShared = givenHasura() === null

async function giveBack(platform: TestPlatform) {
  // Of a test that failed in the middle of one.
  await platform.db.query('rollback')
  if (isShared) platform.expectDocumented()
  else await platform.stop()
}
