import { test as anyTest } from 'vitest'
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
      onCleanup(() => platform.stop())
      return platform
    },
  )
  .extend('platform', { scope: 'file' }, async ({ runningPlatform }, { onCleanup }) => {
    onCleanup(() => handBack(runningPlatform))
    return runningPlatform
  })
  .extend(
    'runningPlatformWithActions',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, { onCleanup }) => {
      const platform = await startTestPlatform({}, (baseUrl) => ({ WEBHOOKS_URL: baseUrl }))
      onCleanup(() => platform.stop())
      return platform
    },
  )
  /** One whose engine calls it: for actions and event triggers, and whenever a cron trigger is due. */
  .extend(
    'platformWithActions',
    { scope: 'file' },
    async ({ runningPlatformWithActions }, { onCleanup }) => {
      onCleanup(() => handBack(runningPlatformWithActions))
      return runningPlatformWithActions
    },
  )

async function handBack({ db, expectDocumented }: TestPlatform) {
  // Of a test that failed in the middle of one.
  await db.query('rollback')
  expectDocumented()
}
