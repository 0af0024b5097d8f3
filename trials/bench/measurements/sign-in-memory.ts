import { availableParallelism } from 'node:os'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { startSignInContenders } from '../contenders/sign-in-contenders.ts'
import { signInAll } from '../load/sign-in-flow.ts'
import type { Figure } from '../report/figure.ts'

const CONNECTIONS = 16 * availableParallelism()
const STEP = 10_000

/**
 * Measures the sign-in server's heap after a forced garbage collection: after 10,000 whole flows, when all caches are full, and
 * after 30,000, or 100,000 with `--large`.
 */
export async function measureSignInMemory(large: boolean): Promise<Figure[]> {
  const flowCount = large ? 100_000 : 30_000
  const site = await startSignInContenders()
  const heaps: number[] = []
  try {
    while (heaps.length * STEP < flowCount) {
      await signInAll(site.ours, STEP, CONNECTIONS)
      heaps.push(await site.ours.heapMb())
    }
  } finally {
    await site.stop()
  }
  return [
    {
      name: `heap after ${flowCount.toLocaleString('en')} flows ÷ after 10,000`,
      value: requireValue(heaps.at(-1), 'the last heap'),
      unit: 'MB',
      baseline: requireValue(heaps[0], 'the first heap'),
      target: { atMost: 1.1 },
      note: `after each ${STEP.toLocaleString('en')}: ${heaps.map((mb) => mb.toFixed(1)).join(', ')} MB`,
    },
  ]
}
