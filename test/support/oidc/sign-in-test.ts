import { test as anyTest } from 'vitest'
import { startTestSignIn } from './start-sign-in.ts'

/**
 * Tests of a sign-in server that all files of a worker share: to start one takes as long as many tests. Each file registers
 * clients of its own, and leaves all else as it was: the chain, the engine, the keys, the rows of others. A file that changes
 * one of them, or uses up a limit, starts a server itself. Other instances that a file has started are stopped at its end.
 */
export const test = anyTest
  .extend(
    'runningServer',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that this needs nothing else
    async ({}, { onCleanup }) => {
      const server = await startTestSignIn()
      onCleanup(() => server.stop())
      return server
    },
  )
  .extend('signIn', { scope: 'file' }, async ({ runningServer }, { onCleanup }) => {
    onCleanup(async () => {
      await runningServer.stopOthers()
      runningServer.first.expectDocumented()
    })
    return runningServer
  })
