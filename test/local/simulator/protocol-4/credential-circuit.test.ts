import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CircuitInputs, type MemoryFile, wtns } from 'snarkjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { r } from '../../../../lib/proof/field.ts'
import { protocol4Signals } from '../../../../lib/proof/protocol-4/public-signals.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { credentialCircuit } from '../../../../local/simulator/development-key/circuits.ts'
import {
  type CompiledCircuit,
  compileCircuit,
} from '../../../../local/simulator/development-key/compile-circuit.ts'
import { TREE_DEPTH } from '../../../../local/simulator/development-key/key-files.ts'
import { readR1cs } from '../../../../local/simulator/development-key/r1cs.ts'
import { simulatedTreeMember } from '../../../../local/simulator/protocol-4/credential-tree.ts'
import { holderSession } from '../../../../local/simulator/protocol-4/holder.ts'
import {
  circuitInputs,
  credentialStatement,
} from '../../../../local/simulator/protocol-4/prove-credential.ts'
import { freeWires, isSatisfied } from '../../../support/simulator/constraints.ts'

let folder: string
let compiled: CompiledCircuit

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'circuit-'))
  compiled = await compileCircuit(credentialCircuit(TREE_DEPTH), folder)
})
afterAll(() => rm(folder, { recursive: true }))

const RP_ID = 0x123456789abcdef0n
const ACTION = 77n
const SEED = (1n << 248n) + 5n
const member = simulatedTreeMember('person-3')
const { secret } = member.holder
const credential = requireValue(member.holder.credentials[2], 'the passport of person-3')
const purpose = {
  rpId: RP_ID,
  action: ACTION,
  session: null,
  nonce: 8n,
  signalHash: r - 9n,
  expiresAtMin: credential.expiresAt - 1n,
  genesisIssuedAtMin: credential.genesisIssuedAt,
}
const uniqueness = credentialStatement(member, credential, purpose)
const session = credentialStatement(member, credential, {
  ...purpose,
  action: (2n << 248n) + 6n,
  session: holderSession(secret, RP_ID, SEED),
})

async function witness(inputs: CircuitInputs): Promise<bigint[]> {
  const file: MemoryFile = { type: 'mem' }
  await wtns.calculate(inputs, compiled.wasm, file)
  return wtns.exportJson(file)
}

describe.each([
  ['a uniqueness proof', uniqueness],
  ['a session proof', session],
])('the circuit of protocol 4.0, for %s', (_kind, statement) => {
  test('has the 15 public signals in the order of the protocol', async () => {
    const values = await witness(circuitInputs(statement))
    expect(values.slice(1, 16)).toEqual(protocol4Signals(statement.inputs))
  })

  test('has no wire that can be changed alone', async () => {
    const circuit = readR1cs(await readFile(compiled.r1cs))
    expect(circuit.publicWires).toBe(15)
    const values = await witness(circuitInputs(statement))
    expect(isSatisfied(circuit, values)).toBe(true)
    expect(freeWires(circuit, values)).toEqual([])
  })
})

describe('the circuit of protocol 4.0 rejects', () => {
  const inputs = circuitInputs(uniqueness)
  const { expiresAt, genesisIssuedAt } = credential
  test.each<[string, CircuitInputs]>([
    ['a credential that expires at expiresAtMin', { expiresAtMin: expiresAt }],
    ['a credential that expired before', { expiresAtMin: expiresAt + 1n }],
    ['a credential that is older than required', { genesisIssuedAtMin: genesisIssuedAt + 1n }],
    ['a genesis bound below zero', { genesisIssuedAtMin: r - 1n }],
    ['another issuer', { issuerSchemaId: 1n }],
    ['another expiry than the issuer set', { expiresAt: expiresAt + 1n }],
    ['another genesis time than the issuer set', { genesisIssuedAt: genesisIssuedAt + 1n }],
    ['another secret', { secret: secret + 1n }],
    ['another root', { merkleRoot: 5n }],
    ['another depth of the tree', { treeDepth: 29n }],
    ['another nullifier', { nullifier: 5n }],
    ['the nullifier of another relying party', { rpId: RP_ID + 1n }],
    ['the nullifier of another action', { action: ACTION + 1n }],
    ['a session that the person did not open', { sessionId: 5n }],
  ])('%s', async (_input, changes) => {
    await expect(witness({ ...inputs, ...changes })).rejects.toThrow(/Assert/)
  })

  test('a session with another value than the person derived', async () => {
    const changes = { sessionRandomness: 5n }
    await expect(witness({ ...circuitInputs(session), ...changes })).rejects.toThrow(/Assert/)
  })
})
