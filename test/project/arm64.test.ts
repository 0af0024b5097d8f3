import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('npm run test:arm64 without an emulator fails, and prints what it needs', async () => {
  const preparation = promisify(execFile)(process.execPath, ['scripts/prepare-arm64.ts'], {
    env: { PATH: '/nowhere' },
  })
  const remedy = process.arch === 'arm64' ? 'npm test' : 'apt-get install qemu-user'
  await expect(preparation).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Not checked\\. .*${remedy}`)),
  })
})
