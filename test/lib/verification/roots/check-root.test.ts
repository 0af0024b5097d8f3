import { expect, test } from 'vitest'
import { checkRootAge } from '../../../../lib/verification/roots/check-root.ts'

const limits = { now: 1_700_000_000, maxAgeSeconds: 3_600 }
const supersededBefore = (seconds: number) =>
  ({ isKnown: true, supersededAt: limits.now - seconds }) as const

test.each([
  ['an unknown root', 'unknown', { isKnown: false } as const],
  ['the latest root', 'fresh', { isKnown: true, supersededAt: null } as const],
  ['a root superseded now', 'fresh', supersededBefore(0)],
  ['a root of exactly the maximum age', 'fresh', supersededBefore(3_600)],
  ['a root one second too old', 'too_old', supersededBefore(3_601)],
  ['a root superseded by a clock that is ahead', 'fresh', supersededBefore(-5)],
])('the age of %s is %s', (_title, verdict, root) => {
  expect(checkRootAge(root, limits)).toBe(verdict)
})
