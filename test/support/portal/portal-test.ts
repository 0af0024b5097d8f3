import { test as anyTest } from 'vitest'
import { startPortal } from './portal-scene.ts'

/**
 * The `test` function of portal tests. All files of a worker share one platform and one browser, since starting them takes as
 * long as several tests. A test creates its users and teams, and restores everything else that it changes. A test with other
 * settings calls `startPortal`. The end of each file fails if a response differed from `/openapi.json`.
 */
export const test = anyTest
  .extend(
    'runningScene',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the pattern to find the fixtures that this fixture needs
    async ({}, { onCleanup }) => {
      const scene = await startPortal()
      onCleanup(() => scene.stop())
      return scene
    },
  )
  // Vitest reports failures at the end of a file, but not at the end of a worker.
  .extend('scene', { scope: 'file' }, async ({ runningScene }, { onCleanup }) => {
    onCleanup(() => runningScene.platform.expectDocumented())
    return runningScene
  })
