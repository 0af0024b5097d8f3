import { spawn } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { endProcess } from '../../../local/process/end-process.ts'
import { endWithParent } from '../../../local/process/end-with-parent.ts'

const children = Array.from({ length: 12 }, () => spawn('sleep', ['60'], { stdio: 'ignore' }))
afterAll(() => Promise.all(children.map((child) => endProcess(child, { signal: 'SIGTERM' }))))

test('twelve children share an exit listener of this process', () => {
  for (const child of children.slice(0, 1)) endWithParent(child, 'SIGTERM')
  const count = process.listenerCount('exit')
  for (const child of children.slice(1)) endWithParent(child, 'SIGTERM')
  expect(process.listenerCount('exit')).toBe(count)
})
