import { test as anyTest } from 'vitest'
import { startTestSignIn } from './start-sign-in.ts'

/**
 * The `test` function of files that share one sign-in server for each worker, because a start takes as long as many tests. Each
 * file registers its clients, and must not change the chain, the engine, the keys or other rows. A file that changes
 * these or uses up a limit starts a separate server. Additional instances are stopped at the end of the file.
 */
export const test = anyTest
  .extend(
    'runningServer',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's dependencies from the pattern
    async ({}, { onCleanup }) => {
      const server = await startTestSignIn()
      onCleanup(() => server.stop())
      return server
    },
  )
  .extend('signIn', { scope: 'file' }, async ({ runningServer }, { onCleanup }) => {
    onCleanup(async () => {
      await runningServer.stopAdditional()
      runningServer.first.expectDocumented()
    })
    return runningServer
  })
