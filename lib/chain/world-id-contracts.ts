import {
  BaseError,
  type Client,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  toFunctionSelector,
} from 'viem'
import { call, readContract } from 'viem/actions'
import { z } from 'zod'
import {
  createGuardedChain,
  type GuardedChain,
  type GuardedChainOptions,
  ImplausibleAnswer,
  parseAddress,
} from './guarded-chain.ts'
import { RpcError } from './json-rpc.ts'

/** A point of BabyJubJub: the key of a credential issuer, or the OPRF key of a relying party. */
type PublicKey = { readonly x: bigint; readonly y: bigint }

/** The settings of a verifier contract: the addresses of its registries, and its parameters. */
export type VerifierSettings = {
  worldIdRegistry: string
  issuerRegistry: string
  oprfKeyRegistry: string
  treeDepth: bigint
  /** How many seconds a proof's `expiresAtMin` may lie in the past. */
  minExpirationThreshold: bigint
}

/** The arguments with which a verifier contract verifies a proof. */
export type ContractProof = {
  nullifier: bigint
  action: bigint
  rpId: bigint
  nonce: bigint
  signalHash: bigint
  expiresAtMin: bigint
  issuerSchemaId: bigint
  credentialGenesisIssuedAtMin: bigint
  /** The commitment of a session, or 0 for a uniqueness proof. */
  sessionId: bigint
  words: readonly [bigint, bigint, bigint, bigint, bigint]
}

/** Reads the contracts of protocol 4.0. All functions throw WrongChain or ChainUnavailable, like GuardedChain. */
export type WorldIdContracts = Pick<GuardedChain, 'confirmChain'> & {
  readSettings(verifier: string): Promise<VerifierSettings>
  /** Asks the registry of World IDs if a root is the latest root, or is young enough. */
  isValidRoot(registry: string, root: bigint): Promise<boolean>
  /** Returns the key of a credential issuer; null if the issuer is not registered. */
  issuerKey(registry: string, issuerSchemaId: bigint): Promise<PublicKey | null>
  /** Returns the OPRF key of a relying party; null if the relying party has none, or its key was deleted. */
  oprfKey(registry: string, rpId: bigint): Promise<PublicKey | null>
  /** Asks a verifier contract to verify a proof; false if the contract reverts. */
  accepts(verifier: string, proof: ContractProof): Promise<boolean>
}

/** Creates the functions that read the contracts of protocol 4.0. */
export function createWorldIdContracts(options: GuardedChainOptions): WorldIdContracts {
  const { confirmChain, ask } = createGuardedChain(options)
  return {
    confirmChain,
    readSettings: (verifier) => ask((client) => readVerifierSettings(client, verifier)),
    isValidRoot: (registry, root) =>
      ask((client) => {
        const contract = { ...contractAt(registry), functionName: 'isValidRoot' } as const
        return readContract(client, { ...contract, args: [root] })
      }),
    issuerKey: (registry, issuerSchemaId) =>
      ask(async (client) => {
        const contract = {
          ...contractAt(registry),
          functionName: 'issuerSchemaIdToPubkey',
        } as const
        return toKey(await readContract(client, { ...contract, args: [issuerSchemaId] }))
      }),
    oprfKey: (registry, rpId) => ask((client) => readOprfKey(client, registry, rpId)),
    accepts: (verifier, proof) =>
      ask(async (client) => {
        const to = parseAddress(verifier)
        const { isReverted } = await callAnyway(client, { to, data: verifierCall(proof) })
        return !isReverted
      }),
  }
}

const abi = parseAbi([
  'function getWorldIDRegistry() view returns (address)',
  'function getCredentialSchemaIssuerRegistry() view returns (address)',
  'function getOprfKeyRegistry() view returns (address)',
  'function getTreeDepth() view returns (uint256)',
  'function getMinExpirationThreshold() view returns (uint256)',
  'function isValidRoot(uint256 root) view returns (bool)',
  'struct PublicKey { uint256 x; uint256 y; }',
  'function issuerSchemaIdToPubkey(uint64 issuerSchemaId) view returns (PublicKey)',
  'function getOprfPublicKey(uint160 oprfKeyId) view returns (PublicKey)',
  'function verify(uint256 nullifier, uint256 action, uint64 rpId, uint256 nonce, uint256 signalHash, uint64 expiresAtMin, uint64 issuerSchemaId, uint256 credentialGenesisIssuedAtMin, uint256[5] zeroKnowledgeProof) view',
  'function verifySession(uint64 rpId, uint256 nonce, uint256 signalHash, uint64 expiresAtMin, uint64 issuerSchemaId, uint256 credentialGenesisIssuedAtMin, uint256 sessionId, uint256[2] sessionNullifier, uint256[5] zeroKnowledgeProof) view',
])

/** The errors of a registry that has no OPRF key for an id, or has deleted the key. */
const NO_KEY = ['UnknownId(uint160)', 'DeletedId(uint160)'].map(toFunctionSelector)

function contractAt(address: string) {
  return { address: parseAddress(address), abi } as const
}

async function readVerifierSettings(client: Client, verifier: string): Promise<VerifierSettings> {
  const contract = contractAt(verifier)
  const [worldIdRegistry, issuerRegistry, oprfKeyRegistry, treeDepth, minExpirationThreshold] =
    await Promise.all([
      readContract(client, { ...contract, functionName: 'getWorldIDRegistry' }),
      readContract(client, { ...contract, functionName: 'getCredentialSchemaIssuerRegistry' }),
      readContract(client, { ...contract, functionName: 'getOprfKeyRegistry' }),
      readContract(client, { ...contract, functionName: 'getTreeDepth' }),
      readContract(client, { ...contract, functionName: 'getMinExpirationThreshold' }),
    ])
  return { worldIdRegistry, issuerRegistry, oprfKeyRegistry, treeDepth, minExpirationThreshold }
}

/** Returns null for a key that is not registered: a contract returns 0 for an unknown entry of a mapping. */
function toKey({ x, y }: PublicKey): PublicKey | null {
  return x === 0n || y === 0n ? null : { x, y }
}

async function readOprfKey(client: Client, registry: string, rpId: bigint) {
  const oprf = { abi, functionName: 'getOprfPublicKey' } as const
  const data = encodeFunctionData({ ...oprf, args: [rpId] })
  const { isReverted, answer } = await callAnyway(client, { to: parseAddress(registry), data })
  if (!isReverted) return toKey(decodeFunctionResult({ ...oprf, data: answer }))
  // A server that sends no data says only that the contract reverted.
  if (answer === '0x' || NO_KEY.some((selector) => answer.startsWith(selector))) return null
  throw new ImplausibleAnswer('The registry of OPRF keys reverted with another error.')
}

function verifierCall(proof: ContractProof): Hex {
  const { nullifier, action, rpId, nonce, signalHash, sessionId, words } = proof
  const { expiresAtMin, issuerSchemaId, credentialGenesisIssuedAtMin: genesis } = proof
  if (sessionId === 0n)
    return encodeFunctionData({
      abi,
      functionName: 'verify',
      args: [
        ...([nullifier, action, rpId, nonce, signalHash, expiresAtMin] as const),
        ...([issuerSchemaId, genesis, words] as const),
      ],
    })
  return encodeFunctionData({
    abi,
    functionName: 'verifySession',
    args: [
      ...([rpId, nonce, signalHash, expiresAtMin, issuerSchemaId, genesis, sessionId] as const),
      ...([[nullifier, action], words] as const),
    ],
  })
}

/** The result of a call: the returned data, or the data of the revert. */
type CallResult = { isReverted: boolean; answer: Hex }

/** Calls a contract, which may revert. */
async function callAnyway(client: Client, request: { to: Hex; data: Hex }): Promise<CallResult> {
  try {
    const { data = '0x' } = await call(client, request)
    return { isReverted: false, answer: data }
  } catch (fault) {
    const refusal = fault instanceof BaseError && fault.walk((cause) => cause instanceof RpcError)
    if (!(refusal instanceof RpcError && isRevert(refusal))) throw fault
    return { isReverted: true, answer: RevertData.parse(refusal.data) }
  }
}

const RevertData = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/i)]).catch('0x')

/** True if a contract has reverted. Other errors of a server, such as an exceeded limit, say nothing about a proof. */
function isRevert({ code, details = '' }: RpcError): boolean {
  return code === REVERTED || /\brevert/i.test(details)
}

/** The code of a revert in a JSON-RPC response. */
const REVERTED = 3
