import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { protocol4Proof } from '../../../lib/proof/examples/protocol-4-proofs.ts'
import { r } from '../../../lib/proof/field.ts'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { abi } from '../../../local/chain/abi.ts'
import {
  deployWorldId,
  type Verifiers,
  verifierAddress,
} from '../../../local/chain/deploy-world-id.ts'
import { connectLocalChain, type LocalChain } from '../../../local/chain/local-chain.ts'
import { publishWorldId } from '../../../local/chain/publish-world-id.ts'
import { verifierKeys } from '../../../local/simulator/protocol-4/verifier-keys.ts'
import { startChain, type TestChain } from '../../support/chain.ts'

// Calls the verifier contract of our own with the public proofs of protocol 4.0, as the public contract is called.

const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

let anvil: TestChain
let chain: LocalChain
let verifiers: Verifiers

beforeAll(async () => {
  anvil = await startChain()
  chain = await connectLocalChain(anvil.rpcUrl)
  const keys = await verifierKeys()
  verifiers = await deployWorldId(anvil.rpcUrl, keys)
  expect(verifiers).toEqual(anvil.addresses.verifiers)
  expect(verifiers).toEqual({
    production: await verifierAddress('production', keys.production),
    staging: await verifierAddress('staging', keys.staging),
  })
  for (const verifier of Object.values(verifiers))
    await publishWorldId({ rpcUrl: anvil.rpcUrl, verifier }, FACTS)
})
afterAll(() => anvil.stop())

const [uniqueness, session] = [callOf('uniqueness'), callOf('session')]
const { root, rpId } = uniqueness
const FACTS = {
  root,
  issuer: { id: uniqueness.issuerId, key: uniqueness.issuerKey },
  relyingParty: { id: rpId, oprfKey: uniqueness.oprfKey },
}

/** The threshold of the public contract, in seconds. */
const THRESHOLD = 18_000n

type Call = ReturnType<typeof callOf>

/** Returns a public proof with its public inputs by name. */
function callOf(name: string) {
  const proof = protocol4Proof(name)
  const input = (index: number) => requireValue(proof.signals[index], 'the signal')
  const word = (index: number) => BigInt(requireValue(proof.words[index], 'the word'))
  return {
    nullifier: input(0),
    issuerId: input(1),
    issuerKey: { x: input(2), y: input(3) },
    expiresAtMin: input(4),
    genesisIssuedAtMin: input(5),
    root: input(6),
    rpId: input(8),
    action: input(9),
    oprfKey: { x: input(10), y: input(11) },
    signalHash: input(12),
    nonce: input(13),
    sessionId: input(14),
    words: [word(0), word(1), word(2), word(3), word(4)] satisfies Words,
  }
}

type Words = [bigint, bigint, bigint, bigint, bigint]

/** Returns the words of the uniqueness proof with one changed. */
function wordsWith(index: number, change: (word: bigint) => bigint): Words {
  const [a, b0, b1, c, merkleRoot] = uniqueness.words
  const changed: Words = [a, b0, b1, c, merkleRoot]
  changed[index] = change(requireValue(changed[index], 'the word'))
  return changed
}

type Changes = Partial<Call & { time: bigint }>

/** Calls verify as a caller at the time `expiresAtMin`, and returns the name of the error or null. */
function verify(changes: Changes = {}, verifier = verifiers.production): Promise<string | null> {
  const call = { ...uniqueness, ...changes }
  const { nullifier, action, nonce, signalHash, expiresAtMin, genesisIssuedAtMin, words } = call
  const args = [
    ...([nullifier, action, call.rpId, nonce, signalHash, expiresAtMin] as const),
    ...([call.issuerId, genesisIssuedAtMin, words] as const),
  ] as const
  const contract = { address: verifier, abi: abi.worldId, functionName: 'verify' } as const
  const blockOverrides = { time: changes.time ?? uniqueness.expiresAtMin }
  return errorName(chain.readContract({ ...contract, args, blockOverrides }))
}

function verifySession(changes: Changes = {}): Promise<string | null> {
  const call = { ...session, ...changes }
  const { nullifier, action, nonce, signalHash, expiresAtMin, genesisIssuedAtMin, words } = call
  const args = [
    ...([call.rpId, nonce, signalHash, expiresAtMin, call.issuerId, genesisIssuedAtMin] as const),
    ...([call.sessionId, [nullifier, action], words] as const),
  ] as const
  const contract = { address: verifiers.production, abi: abi.worldId } as const
  const blockOverrides = { time: changes.time ?? session.expiresAtMin }
  return errorName(
    chain.readContract({ ...contract, functionName: 'verifySession', args, blockOverrides }),
  )
}

/** Returns the name of the error with which a call reverted, or null if it returned. */
function errorName(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (error: Error) => /Error: (\w+)\(/.exec(error.message)?.[1] ?? error.message,
  )
}

describe('the verifier contract accepts the public proofs of protocol 4.0', () => {
  test('verify accepts the uniqueness proof, until 18,000 seconds after expiresAtMin', async () => {
    expect(await verify()).toBeNull()
    expect(await verify({ time: uniqueness.expiresAtMin + THRESHOLD })).toBeNull()
    expect(await verify({ time: uniqueness.expiresAtMin + THRESHOLD + 1n })).toBe(
      'ExpirationTooOld',
    )
  })

  test('verifySession accepts the session proof', async () => {
    expect(await verifySession()).toBeNull()
  })

  test('the contract with the development key rejects the public proof', async () => {
    expect(await verify({}, verifiers.staging)).toBe('ProofInvalid')
  })
})

describe('each changed input gets the error of the public contract', () => {
  test.each<[string, string, Changes]>([
    ['another nullifier', 'ProofInvalid', { nullifier: uniqueness.nullifier + 1n }],
    ['another action', 'ProofInvalid', { action: uniqueness.action + 1n }],
    ['another nonce', 'ProofInvalid', { nonce: uniqueness.nonce + 1n }],
    ['another signal', 'ProofInvalid', { signalHash: 0n }],
    ['a later expiresAtMin', 'ProofInvalid', { expiresAtMin: uniqueness.expiresAtMin + 1n }],
    ['another genesis time', 'ProofInvalid', { genesisIssuedAtMin: 1n }],
    ['a relying party without an OPRF key', 'UnknownId', { rpId: rpId + 1n }],
    ['an unknown issuer', 'UnregisteredIssuerSchemaId', { issuerId: 2n }],
    ['an unknown root', 'InvalidMerkleRoot', { words: wordsWith(4, () => 5n) }],
    ['the root 0', 'InvalidMerkleRoot', { words: wordsWith(4, () => 0n) }],
    ['the action of a session', 'InvalidAction', { action: session.action }],
    ['a nullifier above the modulus', 'PublicInputNotInField', { nullifier: r + 1n }],
    ['a nonce above the modulus', 'PublicInputNotInField', { nonce: uniqueness.nonce + r }],
  ])('verify with %s reverts with %s', async (_input, error, changes) => {
    expect(await verify(changes)).toBe(error)
  })

  test.each([0, 1, 2, 3])(
    'verify with a bit of word %s changed reverts with ProofInvalid',
    async (index) => {
      expect(await verify({ words: wordsWith(index, (word) => word ^ 1n) })).toBe('ProofInvalid')
      expect(await verify({ words: wordsWith(index, () => 2n ** 256n - 1n) })).toBe('ProofInvalid')
    },
  )

  test('verify with the hint changed, or without points, reverts with ProofInvalid', async () => {
    expect(await verify({ words: wordsWith(2, (word) => word ^ 2n) })).toBe('ProofInvalid')
    expect(await verify({ words: [0n, 0n, 0n, 0n, root] })).toBe('ProofInvalid')
  })

  test.each<[string, string, Changes]>([
    ['another session', 'ProofInvalid', { sessionId: session.sessionId + 1n }],
    ['the session 0', 'ProofInvalid', { sessionId: 0n }],
    ['another nullifier', 'ProofInvalid', { nullifier: session.nullifier + 1n }],
    ['the action of a uniqueness proof', 'InvalidAction', { action: uniqueness.action }],
    ['an action with the first byte 1', 'InvalidAction', { action: 1n << 248n }],
  ])('verifySession with %s reverts with %s', async (_input, error, changes) => {
    expect(await verifySession(changes)).toBe(error)
  })
})

describe('the contract publishes what its owner sets', () => {
  const contract = () => ({ address: verifiers.staging, abi: abi.worldId }) as const
  const isValidRoot = (candidate: bigint, time?: bigint) =>
    chain.readContract({
      ...contract(),
      functionName: 'isValidRoot',
      args: [candidate],
      ...(time !== undefined && { blockOverrides: { time } }),
    })

  test('a second publication of the same facts sends nothing', async () => {
    const blockNumber = await chain.getBlockNumber()
    await publishWorldId({ rpcUrl: anvil.rpcUrl, verifier: verifiers.staging }, FACTS)
    expect(await chain.getBlockNumber()).toBe(blockNumber)
  })

  test('an earlier root is valid for an hour after its publication, the latest root always', async () => {
    const target = { rpcUrl: anvil.rpcUrl, verifier: verifiers.staging }
    await publishWorldId(target, { ...FACTS, root: 100n })
    const { timestamp } = await chain.getBlock()
    await publishWorldId(target, { ...FACTS, root: 101n })
    expect(await isValidRoot(100n, timestamp + 3600n)).toBe(true)
    expect(await isValidRoot(100n, timestamp + 3601n)).toBe(false)
    expect(await isValidRoot(101n, timestamp + 10_000n)).toBe(true)
    expect(await isValidRoot(0n)).toBe(false)
  })

  test('every getter of a registry returns the contract, and the depth of the tree is 30', async () => {
    for (const functionName of [
      'getWorldIDRegistry',
      'getCredentialSchemaIssuerRegistry',
      'getOprfKeyRegistry',
    ] as const)
      expect(await chain.readContract({ ...contract(), functionName })).toBe(verifiers.staging)
    expect(await chain.readContract({ ...contract(), functionName: 'getTreeDepth' })).toBe(30n)
  })

  test('a stranger gets NotTheOwner', async () => {
    const point = { x: 1n, y: 2n }
    const call = { ...contract(), account: STRANGER } as const
    const calls = [
      chain.simulateContract({ ...call, functionName: 'publishRoot', args: [9n] }),
      chain.simulateContract({ ...call, functionName: 'registerIssuer', args: [1n, point] }),
      chain.simulateContract({ ...call, functionName: 'registerOprfKey', args: [1n, point] }),
    ]
    expect(await Promise.all(calls.map(errorName))).toEqual(calls.map(() => 'NotTheOwner'))
  })
})
