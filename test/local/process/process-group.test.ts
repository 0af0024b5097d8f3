import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { endProcessGroup, isGroupRunning } from '../../support/processes/process-group.ts'

test.each([
  ['ends', 'sleep 600 &'],
  ['ignores SIGTERM', "(trap '' TERM; while :; do sleep 1; done) &"],
])(
  'a process that outlives its parent and %s on a signal ends with the group',
  async (_, script) => {
    const child = spawn('bash', ['-c', script], { detached: true, stdio: 'ignore' })
    const group = requireValue(child.pid, 'the id of a process')
    const [code] = await once(child, 'exit')
    expect([code, isGroupRunning(group)]).toEqual([0, true])
    await endProcessGroup(child, { killAfterMs: 300 })
    await vi.waitUntil(() => !isGroupRunning(group), { timeout: 10_000 })
    await endProcessGroup(child)
  },
)
