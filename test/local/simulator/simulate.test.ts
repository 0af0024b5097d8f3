import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGroupContract } from '../../../lib/chain/group-contract.ts'
import type { Addresses } from '../../../local/chain/deploy.ts'
import { CHAIN_ID } from '../../../local/chain/local-chain.ts'
import { developmentKey } from '../../../local/simulator/development-key/development-key.ts'
import { VerificationRequest4 } from '../../../local/simulator/protocol-4/prove-input.ts'
import { startChain, type TestChain } from '../../support/chain.ts'
import { developmentPool, holds } from '../../support/simulator/development-proofs.ts'
import { createVerifier } from '../../support/simulator/verifier-contract.ts'
import { START_CACHE } from '../../support/start-cache.ts'

let anvil: TestChain
let addresses: Addresses

beforeAll(async () => {
  anvil = await startChain()
  addresses = anvil.addresses
  await developmentKey()
})
afterAll(() => anvil.stop())

const command = (...args: string[]) =>
  promisify(execFile)(process.execPath, [
    ...START_CACHE,
    'packages/platform/command.ts',
    'simulate',
    ...args,
  ])

test('simulate prints a valid request body, and publishes its root in the staging group', async () => {
  const { stdout } = await command(
    ...['--app', 'app_staging_1', '--action', 'vote', '--identity', 'person-3'],
    ...['--rpc', anvil.rpcUrl],
  )
  const request = JSON.parse(stdout)
  expect(request).toMatchObject({ action: 'vote', verification_level: 'orb' })
  const pool = await developmentPool(await developmentKey())
  expect(await holds(pool, request, { appId: 'app_staging_1', action: 'vote' })).toBe(true)
  await pool.close()
  const contract = createGroupContract({
    rpcUrl: anvil.rpcUrl,
    chainId: CHAIN_ID,
    timeoutMs: 20_000,
  })
  const root = BigInt(request.merkle_root)
  expect(await contract.queryRoot(addresses.groups.staging, root)).toMatchObject({ isKnown: true })
  expect(await contract.queryRoot(addresses.groups.production, root)).toEqual({ isKnown: false })
})

test('simulate --protocol 4.0 prints a body whose proof the verifier contract accepts', async () => {
  const app = 'app_staging_1'
  const { stdout } = await command(
    ...['--protocol', '4.0', '--app', app, '--action', 'vote', '--identity', 'person-3'],
    ...['--credential', 'passport', '--signal', 'yes', '--expires-at-min', '1900000000'],
    ...['--rpc', anvil.rpcUrl],
  )
  const request = VerificationRequest4.parse(JSON.parse(stdout))
  expect(request).toMatchObject({
    protocol_version: '4.0',
    action: 'vote',
    responses: [{ identifier: 'passport', expires_at_min: 1_900_000_000 }],
  })
  const verifier = createVerifier(anvil.rpcUrl, { app, action: 'vote' })
  expect(await verifier.errors(request)).toEqual([null])
})

test('simulate warns if the app is not a staging app', async () => {
  const production = await command('--app', 'app_1', '--action', 'vote', '--rpc', anvil.rpcUrl)
  expect(production.stderr).toContain('only staging apps accept simulated people')
  const staging = await command('--app', 'app_staging_1', '--action', 'vote', '--rpc', anvil.rpcUrl)
  expect(staging.stderr).not.toContain('Warning')
})

test.each([
  ['without an app', ['--action', 'vote'], 2, /--app is missing/],
  ['without an action', ['--app', 'app_1'], 2, /--action is missing/],
  ['with an unknown option', ['--colour', 'red'], 2, /--colour/],
  ['of 4.0 without an app', ['--protocol', '4.0', '--action', 'b'], 2, /--app: .*required/],
  [
    'of 4.0 with a level',
    ['--protocol', '4.0', '--level', 'face'],
    2,
    /--level needs --protocol 3/,
  ],
  ['of 4.0 without an action', ['--protocol', '4.0', '--app', 'a'], 2, /action or session_id/],
  ['of 3.0 with a nonce', ['--app', 'a', '--action', 'b', '--nonce', '1'], 2, /--nonce needs/],
  ['with another protocol', ['--protocol', '5.0'], 2, /--protocol must be 3.0 or 4.0; got 5.0/],
  ['without a chain', ['--app', 'a', '--action', 'b', '--rpc', 'http://127.0.0.1:9'], 1, /127/],
])('simulate %s fails with an explanation', async (_how, args, code, message) => {
  await expect(command(...args)).rejects.toMatchObject({
    code,
    stdout: '',
    stderr: expect.stringMatching(message),
  })
})
