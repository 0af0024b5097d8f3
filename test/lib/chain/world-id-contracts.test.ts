import { encodeErrorResult, parseAbi } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { ChainUnavailable, WrongChain } from '../../../lib/chain/guarded-chain.ts'
import { createWorldIdContracts } from '../../../lib/chain/world-id-contracts.ts'
import {
  revert,
  startWorldChain,
  VERIFIER,
  type WorldChainState,
} from '../../support/verification/world-chain.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Starts a chain, and the functions that read it. */
async function scene(facts: Partial<WorldChainState> = {}, timeoutMs = 20_000) {
  const { state, rpcUrl, stop } = await startWorldChain(facts)
  stops.push(stop)
  return { state, contracts: createWorldIdContracts({ rpcUrl, chainId: 480, timeoutMs }), rpcUrl }
}

const key = { x: 7n, y: 8n }

const proof = {
  nullifier: 1n,
  action: 2n,
  rpId: 3n,
  nonce: 4n,
  signalHash: 5n,
  expiresAtMin: 6n,
  issuerSchemaId: 7n,
  credentialGenesisIssuedAtMin: 8n,
  sessionId: 0n,
  words: [11n, 12n, 13n, 14n, 15n],
} as const

describe('the contracts of protocol 4.0 are read from the verifier contract', () => {
  test('readSettings reads the registries and the parameters in one request', async () => {
    const requests: number[] = []
    const { state, contracts } = await scene({ beforeAnswer: async () => void requests.push(1) })
    const settings = await contracts.readSettings(VERIFIER)
    expect(settings).toMatchObject({ treeDepth: 30n, minExpirationThreshold: 3_600n })
    expect(state.calls).toHaveLength(5)
    expect(requests).toHaveLength(2)
  })

  test('roots and keys are read from the registries that the verifier contract names', async () => {
    const { contracts } = await scene({
      roots: new Set([5n]),
      issuers: new Map([[1n, key]]),
      oprfKeys: new Map([[9n, key]]),
    })
    const { worldIdRegistry, issuerRegistry, oprfKeyRegistry } =
      await contracts.readSettings(VERIFIER)
    expect(await contracts.isValidRoot(worldIdRegistry, 5n)).toBe(true)
    expect(await contracts.isValidRoot(worldIdRegistry, 6n)).toBe(false)
    expect(await contracts.issuerKey(issuerRegistry, 1n)).toEqual(key)
    expect(await contracts.issuerKey(issuerRegistry, 2n)).toBeNull()
    expect(await contracts.oprfKey(oprfKeyRegistry, 9n)).toEqual(key)
    expect(await contracts.oprfKey(oprfKeyRegistry, 10n)).toBeNull()
  })

  test.each([
    ['x', { x: 0n, y: 8n }],
    ['y', { x: 7n, y: 0n }],
  ])('an issuer whose key has the %s 0 is not registered', async (_coordinate, incomplete) => {
    const { contracts } = await scene({ issuers: new Map([[1n, incomplete]]) })
    const { issuerRegistry } = await contracts.readSettings(VERIFIER)
    expect(await contracts.issuerKey(issuerRegistry, 1n)).toBeNull()
  })
})

describe('the verifier contract verifies a proof', () => {
  test('accepts is true if the contract returns, and false if the contract reverts', async () => {
    const { state, contracts } = await scene()
    expect(await contracts.accepts(VERIFIER, proof)).toBe(true)
    state.accepts = false
    expect(await contracts.accepts(VERIFIER, proof)).toBe(false)
    expect(state.calls).toEqual(
      Array.from({ length: 2 }, () => 'verify 1 2 3 4 5 6 7 8 11 12 13 14 15'),
    )
  })

  test('a session proof goes to verifySession, with the action in the session nullifier', async () => {
    const { state, contracts } = await scene()
    expect(await contracts.accepts(VERIFIER, { ...proof, sessionId: 99n })).toBe(true)
    expect(state.calls).toEqual(['verifySession 3 4 5 6 7 8 99 1 2 11 12 13 14 15'])
  })
})

describe('a revert is an answer, and another error is none', () => {
  const errors = parseAbi([
    'error UnknownId(uint160 id)',
    'error DeletedId(uint160 id)',
    'error NotReady()',
  ])
  const data = (errorName: 'UnknownId' | 'DeletedId') =>
    encodeErrorResult({ abi: errors, errorName, args: [9n] })

  test.each([
    ['an unknown id', revert(data('UnknownId'))],
    ['a deleted id', revert(data('DeletedId'))],
    ['a revert without data', { error: { code: 3, message: 'execution reverted' } }],
    ['a revert with the code −32000', { error: { code: -32_000, message: 'execution reverted' } }],
  ])('a relying party has no OPRF key after %s', async (_case, answer) => {
    const { state, contracts } = await scene()
    const { oprfKeyRegistry } = await contracts.readSettings(VERIFIER)
    state.answers.set('getOprfPublicKey', answer)
    expect(await contracts.oprfKey(oprfKeyRegistry, 9n)).toBeNull()
  })

  test.each([
    ['another revert', revert(encodeErrorResult({ abi: errors, errorName: 'NotReady' }))],
    ['an internal error', { error: { code: -32_603, message: 'internal error' } }],
    ['a limit', { error: { code: -32_005, message: 'limit exceeded' } }],
    ['an empty answer', { result: '0x' }],
    ['half a key', { result: `0x${'1'.repeat(64)}` }],
    ['no hex', { result: 'key' }],
    ['null', { result: null }],
  ])('the chain is unavailable after %s instead of an OPRF key', async (_case, answer) => {
    const { state, contracts } = await scene()
    const { oprfKeyRegistry } = await contracts.readSettings(VERIFIER)
    state.answers.set('getOprfPublicKey', answer)
    await expect(contracts.oprfKey(oprfKeyRegistry, 9n)).rejects.toThrow(ChainUnavailable)
  })

  test.each([
    ['an internal error', { error: { code: -32_603, message: 'internal error' } }],
    ['a limit', { error: { code: -32_005, message: 'limit exceeded' } }],
    ['a server error', { error: { code: -32_000, message: 'header not found' } }],
  ])('accepts fails after %s, which is no verdict', async (_case, answer) => {
    const { state, contracts } = await scene()
    state.answers.set('verify', answer)
    await expect(contracts.accepts(VERIFIER, proof)).rejects.toThrow(ChainUnavailable)
  })

  test('a reverting isValidRoot is unavailable, and no invalid root', async () => {
    const { state, contracts } = await scene()
    const { worldIdRegistry } = await contracts.readSettings(VERIFIER)
    state.answers.set('isValidRoot', revert('0x'))
    await expect(contracts.isValidRoot(worldIdRegistry, 1n)).rejects.toThrow(ChainUnavailable)
  })
})

describe('a server that cannot be used is refused', () => {
  test('every call throws WrongChain if the server belongs to another chain', async () => {
    const { contracts } = await scene({ chainId: 1 })
    const calls = [
      contracts.confirmChain(),
      contracts.readSettings(VERIFIER),
      contracts.isValidRoot(VERIFIER, 1n),
      contracts.issuerKey(VERIFIER, 1n),
      contracts.oprfKey(VERIFIER, 1n),
      contracts.accepts(VERIFIER, proof),
    ]
    for (const call of calls) await expect(call).rejects.toThrow(WrongChain)
  })

  test('an address without a contract is unavailable', async () => {
    const { contracts } = await scene()
    const call = contracts.readSettings('0x9999999999999999999999999999999999999999')
    await expect(call).rejects.toThrow(ChainUnavailable)
  })

  test('a slow server is unavailable after two attempts', async () => {
    let requests = 0
    const beforeAnswer = () => {
      requests += 1
      return new Promise<void>(() => {})
    }
    const { contracts } = await scene({ beforeAnswer }, 100)
    await expect(contracts.readSettings(VERIFIER)).rejects.toThrow(ChainUnavailable)
    expect(requests).toBe(2)
  })

  test('the error does not contain the URL of the server, which may contain a key', async () => {
    const { state, contracts } = await scene()
    state.answers.set('verify', { error: { code: -32_000, message: 'see key-of-ours' } })
    const fault = await contracts.accepts(VERIFIER, proof).catch((thrown) => thrown)
    expect(`${fault.stack} ${JSON.stringify(fault)} ${fault.cause}`).not.toContain('key-of-ours')
  })
})
