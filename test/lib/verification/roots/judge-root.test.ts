import { expect, test } from 'vitest'
import { judgeRootAge } from '../../../../lib/verification/roots/judge-root.ts'

const limits = { now: 1_700_000_000, maxAgeSeconds: 3_600 }
const supersededBefore = (seconds: number) =>
  ({ known: true, supersededAt: limits.now - seconds }) as const

test.each([
  ['an unknown root', { known: false } as const, 'unknown'],
  ['the latest root', { known: true, supersededAt: null } as const, 'fresh'],
  ['a root superseded now', supersededBefore(0), 'fresh'],
  ['a root of exactly the maximum age', supersededBefore(3_600), 'fresh'],
  ['a root one second too old', supersededBefore(3_601), 'too_old'],
  ['a root superseded by a clock that is ahead', supersededBefore(-5), 'fresh'],
])('%s is judged as expected: %j is %s', (_title, root, verdict) => {
  expect(judgeRootAge(root, limits)).toBe(verdict)
})
