import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('what cannot be emulated is not counted as checked: npm run test:arm64 fails, and says what it needs', async () => {
  const prepared = promisify(execFile)(process.execPath, ['scripts/prepare-arm64.ts'], {
    env: { PATH: '/nowhere' },
  })
  const remedy = process.arch === 'arm64' ? 'npm test' : 'apt-get install qemu-user'
  await expect(prepared).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Not checked\\. .*${remedy}`)),
  })
})
