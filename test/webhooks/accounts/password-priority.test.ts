import { execFile } from 'node:child_process'
import { getPriority } from 'node:os'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { START_CACHE } from '../../support/start-cache.ts'

// An unprivileged process cannot lower its nice value: an attempt would end the service.
test.skipIf(process.platform !== 'linux').each([0, 19])(
  'the thread that hashes passwords has the nice value 10, or that of the service if it is higher (service: +%i)',
  async (nicer) => {
    const script = `
      import { getPriority } from 'node:os'
      await import('./webhooks/accounts/passwords-thread.ts')
      console.log(getPriority(0))`
    const node = [process.execPath, ...START_CACHE, '--input-type=module', '-e', script]
    const { stdout } = await promisify(execFile)('nice', ['-n', String(nicer), ...node])
    expect(Number(stdout)).toBe(Math.max(10, Math.min(19, getPriority() + nicer)))
  },
)
