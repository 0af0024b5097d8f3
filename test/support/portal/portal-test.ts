import { test as anyTest } from 'vitest'
import { startPortal } from './portal-scene.ts'

/**
 * Tests of the portal on a platform, with a browser, that all files of a worker share: to start them takes as long as several
 * tests. Each makes people and teams of its own, and leaves the clock as it was. What needs other settings starts a scene itself.
 */
export const test = anyTest.extend(
  'scene',
  { scope: 'worker' },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from it that this needs nothing else
  async ({}, { onCleanup }) => {
    const scene = await startPortal()
    onCleanup(() => scene.stop())
    return scene
  },
)
