import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createWorldIdContracts,
  type WorldIdContracts,
} from '../../../../lib/chain/world-id-contracts.ts'
import { hashToField } from '../../../../lib/proof/encoding.ts'
import { r } from '../../../../lib/proof/field.ts'
import { parseVerificationKey } from '../../../../lib/proof/keys.ts'
import { protocol4Signals } from '../../../../lib/proof/protocol-4/public-signals.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { createChainFacts } from '../../../../lib/verification/protocol-4/chain-facts.ts'
import {
  countCrossChecks,
  createCrossCheck,
} from '../../../../lib/verification/protocol-4/cross-check.ts'
import {
  decodeProof4,
  type SubmittedProof4,
} from '../../../../lib/verification/protocol-4/decode-proof.ts'
import {
  type Checks4,
  verifyProof4,
} from '../../../../lib/verification/protocol-4/verify-proof-4.ts'
import {
  type Groth16Pool,
  startGroth16Pool,
} from '../../../../lib/verification/threads/groth16-pool.ts'
import { CHAIN_ID } from '../../../../local/chain/local-chain.ts'
import { publishWorldId } from '../../../../local/chain/publish-world-id.ts'
import { developmentKey4 } from '../../../../local/simulator/development-key/development-key.ts'
import { createForger, type Forger } from '../../../../local/simulator/forge.ts'
import { compressProof } from '../../../../local/simulator/protocol-4/compress-proof.ts'
import { startChain, type TestChain } from '../../../support/chain.ts'

// Compares the service with the verifier contract of the local chain, which computes the pairing by the chain's precompiles.

let anvil: TestChain
let pool: Groth16Pool
let forge: Forger
let contracts: WorldIdContracts

beforeAll(async () => {
  anvil = await startChain()
  const { rpcUrl } = anvil
  contracts = createWorldIdContracts({ rpcUrl, chainId: CHAIN_ID, timeoutMs: 20_000 })
  const key = await developmentKey4()
  const json = JSON.parse(await readFile(key.verificationKeyFile, 'utf8'))
  pool = startGroth16Pool(new Map([['development-4', parseVerificationKey(json)]]), {
    threads: 1,
    maxQueue: 100,
  })
  forge = await createForger(key)
  for (const verifier of Object.values(anvil.addresses.verifiers))
    await publishWorldId({ rpcUrl, verifier }, FACTS)
})
afterAll(async () => {
  await pool.close()
  await anvil.stop()
})

const FACTS = {
  root: 77n,
  issuer: { id: 1n, key: { x: 3n, y: 4n } },
  relyingParty: { id: 0xfedcba9876543210n, oprfKey: { x: 5n, y: 6n } },
}
const now = () => Math.floor(Date.now() / 1_000)

/** Forges a proof of protocol 4.0 for the development key. */
async function forgeProof4(kind: 'uniqueness' | 'session'): Promise<SubmittedProof4> {
  const isSession = kind === 'session'
  const numbers = {
    rpId: FACTS.relyingParty.id,
    action: isSession ? (2n << 248n) | 9n : hashToField(Buffer.from('vote')),
    nullifier: r - 5n,
    nonce: r - 6n,
    signalHash: hashToField('signal'),
    issuerSchemaId: FACTS.issuer.id,
    expiresAtMin: BigInt(now()),
    credentialGenesisIssuedAtMin: 0n,
    sessionId: isSession ? r - 7n : 0n,
  }
  const signals = protocol4Signals({
    ...numbers,
    issuerKey: FACTS.issuer.key,
    oprfKey: FACTS.relyingParty.oprfKey,
    merkleRoot: FACTS.root,
    treeDepth: 30n,
  })
  const words = [...compressProof(await forge.proof(signals)), FACTS.root]
  return {
    ...numbers,
    isStaging: true,
    nullifier: hex(numbers.nullifier),
    nonce: hex(numbers.nonce),
    signalHash: hex(numbers.signalHash),
    proof: words.map(hex),
    callers: [],
  }
}

function hex(n: bigint): string {
  return `0x${n.toString(16)}`
}

function createChecks(): Checks4 {
  return {
    facts: createChainFacts({ contracts, registry: new Registry(), now }),
    pool: { verify: ({ keyNames, proof, signals }) => pool.verify(keyNames, proof, signals) },
    keys: { production: ['development-4'], staging: ['development-4'] },
    verifiers: anvil.addresses.verifiers,
    now,
  }
}

type Change = (submitted: SubmittedProof4) => Partial<SubmittedProof4>

const flipBit =
  (index: number, bit: number): Change =>
  ({ proof }) => ({
    proof: proof.with(index, hex(BigInt(proof[index] ?? '') ^ (1n << BigInt(bit)))),
  })

const CHANGES: [string, Change][] = [
  ['another nullifier', () => ({ nullifier: '1' })],
  ['another action', ({ action }) => ({ action: action + 1n })],
  ['another nonce', () => ({ nonce: '1' })],
  ['another signal', () => ({ signalHash: '0x1' })],
  ['another age', () => ({ credentialGenesisIssuedAtMin: 1n })],
  ['an unknown issuer', () => ({ issuerSchemaId: 2n })],
  ['an unknown relying party', () => ({ rpId: 2n })],
  ['an earlier expiry', ({ expiresAtMin }) => ({ expiresAtMin: expiresAtMin - 1n })],
  ['an expiry a day ago', ({ expiresAtMin }) => ({ expiresAtMin: expiresAtMin - 86_400n })],
  ['the last expiry of a uint64', () => ({ expiresAtMin: 2n ** 64n - 1n })],
  ['another root', ({ proof }) => ({ proof: proof.with(4, '78') })],
  ['points at infinity', ({ proof }) => ({ proof: ['0', '0', '0', '0', ...proof.slice(4)] })],
  [
    'A and C exchanged',
    ({ proof }) => ({ proof: proof.with(0, proof[3] ?? '').with(3, proof[0] ?? '') }),
  ],
  ...[0, 1, 2, 3].flatMap((index) =>
    [0, 1, 2, 9, 250, 255].map((bit): [string, Change] => [
      `bit ${bit} of word ${index} flipped`,
      flipBit(index, bit),
    ]),
  ),
]

describe.each(['uniqueness', 'session'] as const)(
  'the service and the verifier contract agree about a %s proof',
  (kind) => {
    test('both accept the proof', async () => {
      const submitted = await forgeProof4(kind)
      expect(await verdicts(submitted)).toEqual({ service: true, contract: true })
    })

    test.each(CHANGES)('both refuse the proof with %s', async (_change, change) => {
      const submitted = await forgeProof4(kind)
      expect(await verdicts({ ...submitted, ...change(submitted) })).toEqual({
        service: false,
        contract: false,
      })
    })

    test('both refuse the proof as the other kind', async () => {
      const [submitted, other] = [await forgeProof4(kind), kind === 'session' ? 0n : r - 7n]
      const changed = { ...submitted, sessionId: other }
      expect(await verifyProof4(createChecks(), () => {}, changed)).toMatchObject({ valid: false })
      const { decoded } = decodeProof4(submitted)
      const { numbers } = requireValue(decoded, 'the decoded proof')
      const { staging } = anvil.addresses.verifiers
      expect(await contracts.accepts(staging, { ...numbers, sessionId: other })).toBe(false)
    })
  },
)

async function verdicts(submitted: SubmittedProof4) {
  const { numbers } = requireValue(decodeProof4(submitted).decoded, 'the decoded proof')
  const { valid } = await verifyProof4(createChecks(), () => {}, submitted)
  return {
    service: valid,
    contract: await contracts.accepts(anvil.addresses.verifiers.staging, numbers),
  }
}

describe('the cross-check calls the verifier contract', () => {
  test.each([
    ['agrees', true],
    ['differs', false],
  ])(
    'a contract with the same key agrees, and with another key differs: %s',
    async (answer, isStaging) => {
      const registry = new Registry()
      const crossCheck = createCrossCheck({
        contracts,
        oneIn: 1,
        count: countCrossChecks(registry),
        log: pino({ level: 'silent' }),
        random: () => 0,
      })
      const submitted = { ...(await forgeProof4('uniqueness')), isStaging }
      expect(await verifyProof4(createChecks(), crossCheck, submitted)).toMatchObject({
        valid: true,
      })
      await expect
        .poll(() => registry.metrics(), { timeout: 20_000 })
        .toContain(`contract_cross_checks_total{answer="${answer}"} 1`)
    },
  )
})
