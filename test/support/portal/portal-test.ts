import { test as anyTest } from 'vitest'
import { startPortal } from './portal-scene.ts'

/**
 * Tests of the portal on a platform, with a browser, that all files of a worker share: to start them takes as long as several
 * tests. Each makes people and teams of its own, and leaves the clock as it was. What needs other settings starts a scene itself.
 * At a file's end, what the portal was answered is compared with `/openapi.json`.
 */
export const test = anyTest
  .extend(
    'runningScene',
    { scope: 'worker' },
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that this needs nothing else
    async ({}, { onCleanup }) => {
      const scene = await startPortal()
      onCleanup(() => scene.stop())
      return scene
    },
  )
  // Vitest reports what fails at the end of a file, and not what fails at the end of a worker.
  .extend('scene', { scope: 'file' }, async ({ runningScene }, { onCleanup }) => {
    onCleanup(() => runningScene.platform.expectDocumented())
    return runningScene
  })
