import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isDevelopmentKey, parseVerificationKey } from '../../../lib/proof/keys.ts'
import {
  developmentKey,
  developmentKey4,
} from '../../../local/simulator/development-key/development-key.ts'

const digest = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

const DIGESTS = {
  '3.0': '56e7f17dca707497b5b618f159645f5123e3580dcd55be131c939cddc4951b14',
  '4.0': 'c890195f57be707804ae4b0464e5d68796261d9ce9944b34feef6032b14f0d6b',
}

test('new builds at the same time make the same keys, and isDevelopmentKey recognises both', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'development-key-'))
  const messages: string[] = []
  const options = { folder, progress: (message: string) => messages.push(message) }
  const [key3, key4] = await Promise.all([developmentKey(options), developmentKey4(options)])
  expect(messages).toHaveLength(4)
  expect(await digest(key3.zkeyFile)).toBe(DIGESTS['3.0'])
  expect(await digest(key4.zkeyFile)).toBe(DIGESTS['4.0'])
  for (const { verificationKeyFile } of [key3, key4]) {
    const key = parseVerificationKey(JSON.parse(await readFile(verificationKeyFile, 'utf8')))
    expect(isDevelopmentKey(key)).toBe(true)
  }
  await rm(folder, { recursive: true })
})

test('a second call uses the existing keys and reports no progress', async () => {
  await Promise.all([developmentKey(), developmentKey4()])
  const messages: string[] = []
  const options = { progress: (message: string) => messages.push(message) }
  await Promise.all([developmentKey(options), developmentKey4(options)])
  expect(messages).toEqual([])
})

test.each([
  ['3.0', 4, developmentKey],
  ['4.0', 15, developmentKey4],
])(
  'the verification key of protocol %s has only the public fields of snarkjs',
  async (_protocol, signals, findKey) => {
    const { verificationKeyFile } = await findKey()
    const json = JSON.parse(await readFile(verificationKeyFile, 'utf8'))
    expect(Object.keys(json)).toEqual([
      ...['protocol', 'curve', 'nPublic'],
      ...['vk_alpha_1', 'vk_beta_2', 'vk_gamma_2', 'vk_delta_2', 'IC'],
    ])
    expect(json.nPublic).toBe(signals)
  },
)
