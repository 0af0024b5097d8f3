import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isDevelopmentKey, parseVerificationKey } from '../../../lib/proof/keys.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'

const digest = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

test('a new build makes the same key, and isDevelopmentKey recognises it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'development-key-'))
  const messages: string[] = []
  const newKey = await developmentKey({ folder, progress: (message) => messages.push(message) })
  expect(messages).toHaveLength(2)
  expect(await digest(newKey.zkeyFile)).toBe(
    '56e7f17dca707497b5b618f159645f5123e3580dcd55be131c939cddc4951b14',
  )
  const key = parseVerificationKey(JSON.parse(await readFile(newKey.verificationKeyFile, 'utf8')))
  expect(isDevelopmentKey(key)).toBe(true)
  await rm(folder, { recursive: true })
})

test('a second call uses the existing key and reports no progress', async () => {
  await developmentKey()
  const messages: string[] = []
  await developmentKey({ progress: (message) => messages.push(message) })
  expect(messages).toEqual([])
})

test('the verification key has only the public fields of snarkjs', async () => {
  const { verificationKeyFile } = await developmentKey()
  const json = JSON.parse(await readFile(verificationKeyFile, 'utf8'))
  expect(Object.keys(json)).toEqual([
    ...['protocol', 'curve', 'nPublic'],
    ...['vk_alpha_1', 'vk_beta_2', 'vk_gamma_2', 'vk_delta_2', 'IC'],
  ])
})
