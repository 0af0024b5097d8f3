import { expect, test } from 'vitest'
import { judgeRootAge } from '../../../../lib/verification/roots/judge-root.ts'

const limits = { now: 1_700_000_000, maxAgeSeconds: 3_600 }
const supersededBefore = (seconds: number) =>
  ({ known: true, supersededAt: limits.now - seconds }) as const

test.each([
  ['an unknown root', 'unknown', { known: false } as const],
  ['the latest root', 'fresh', { known: true, supersededAt: null } as const],
  ['a root superseded now', 'fresh', supersededBefore(0)],
  ['a root of exactly the maximum age', 'fresh', supersededBefore(3_600)],
  ['a root one second too old', 'too_old', supersededBefore(3_601)],
  ['a root superseded by a clock that is ahead', 'fresh', supersededBefore(-5)],
])('judgeRootAge of %s is %s', (_title, verdict, root) => {
  expect(judgeRootAge(root, limits)).toBe(verdict)
})
