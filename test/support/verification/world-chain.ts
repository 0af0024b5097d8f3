import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
} from 'viem'
import { listenOn } from '../../../lib/runtime/http/listen.ts'

/** The contracts' functions, as they are written in the public contracts. */
const abi = parseAbi([
  'function getWorldIDRegistry() view returns (address)',
  'function getCredentialSchemaIssuerRegistry() view returns (address)',
  'function getOprfKeyRegistry() view returns (address)',
  'function getTreeDepth() view returns (uint256)',
  'function getMinExpirationThreshold() view returns (uint256)',
  'function isValidRoot(uint256 root) view returns (bool)',
  'struct Pubkey { uint256 x; uint256 y; }',
  'function issuerSchemaIdToPubkey(uint64 issuerSchemaId) view returns (Pubkey)',
  'function getOprfPublicKey(uint160 oprfKeyId) view returns (Pubkey)',
  'function verify(uint256 nullifier, uint256 action, uint64 rpId, uint256 nonce, uint256 signalHash, uint64 expiresAtMin, uint64 issuerSchemaId, uint256 credentialGenesisIssuedAtMin, uint256[5] zeroKnowledgeProof) view',
  'function verifySession(uint64 rpId, uint256 nonce, uint256 signalHash, uint64 expiresAtMin, uint64 issuerSchemaId, uint256 credentialGenesisIssuedAtMin, uint256 sessionId, uint256[2] sessionNullifier, uint256[5] zeroKnowledgeProof) view',
  'error UnknownId(uint160 id)',
  'error ProofInvalid()',
])

export const VERIFIER = '0x1111111111111111111111111111111111111111'
const WORLD_ID_REGISTRY = '0x2222222222222222222222222222222222222222'
const ISSUER_REGISTRY = '0x3333333333333333333333333333333333333333'
const OPRF_KEY_REGISTRY = '0x4444444444444444444444444444444444444444'

type Key = { x: bigint; y: bigint }

/** The facts that the server answers with. A test may change them at any time. */
export type WorldChainState = {
  chainId: number
  treeDepth: bigint
  minExpirationThreshold: bigint
  roots: Set<bigint>
  issuers: Map<bigint, Key>
  oprfKeys: Map<bigint, Key>
  /** True if the verifier contract accepts each proof. */
  accepts: boolean
  /** Replaces the answer to a call of this function. */
  answers: Map<string, object>
  /** Called before each request is answered. */
  beforeAnswer: () => Promise<void>
  /** The names of the called functions, with their arguments. */
  calls: string[]
}

/** Starts a JSON-RPC server with the contracts of protocol 4.0. */
export async function startWorldChain(facts: Partial<WorldChainState> = {}) {
  const state: WorldChainState = {
    chainId: 480,
    treeDepth: 30n,
    minExpirationThreshold: 3_600n,
    roots: new Set(),
    issuers: new Map(),
    oprfKeys: new Map(),
    accepts: true,
    answers: new Map(),
    beforeAnswer: async () => {},
    calls: [],
    ...facts,
  }
  const server = createServer((request, response) => void answer(state, request, response))
  await listenOn(server, { host: '127.0.0.1', port: 0 })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    state,
    rpcUrl: `http://127.0.0.1:${address.port}/key-of-ours`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Call = { id: number; method: string; params: [{ to: string; data: Hex }] }

async function answer(state: WorldChainState, request: IncomingMessage, response: ServerResponse) {
  const calls: Call | Call[] = JSON.parse(await text(request))
  await state.beforeAnswer()
  const answers = [calls].flat().map((call) => ({ id: call.id, ...answerCall(state, call) }))
  response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]))
}

function answerCall(state: WorldChainState, { method, params }: Call): object {
  if (method === 'eth_chainId') return { result: `0x${state.chainId.toString(16)}` }
  const [{ to, data }] = params
  const call = decodeFunctionData({ abi, data })
  state.calls.push([call.functionName, ...(call.args ?? []).flat()].join(' '))
  return state.answers.get(call.functionName) ?? answerFunction(state, to, call)
}

type FunctionCall = ReturnType<typeof decodeFunctionData<typeof abi>>

function answerFunction(state: WorldChainState, to: string, call: FunctionCall): object {
  const { functionName, args } = call
  if (to.toLowerCase() !== contractOf(functionName)) return { result: '0x' }
  const ok = (result: Hex) => ({ result })
  switch (functionName) {
    case 'getWorldIDRegistry':
      return ok(encodeFunctionResult({ abi, functionName, result: WORLD_ID_REGISTRY }))
    case 'getCredentialSchemaIssuerRegistry':
      return ok(encodeFunctionResult({ abi, functionName, result: ISSUER_REGISTRY }))
    case 'getOprfKeyRegistry':
      return ok(encodeFunctionResult({ abi, functionName, result: OPRF_KEY_REGISTRY }))
    case 'getTreeDepth':
      return ok(encodeFunctionResult({ abi, functionName, result: state.treeDepth }))
    case 'getMinExpirationThreshold':
      return ok(encodeFunctionResult({ abi, functionName, result: state.minExpirationThreshold }))
    case 'isValidRoot':
      return ok(encodeFunctionResult({ abi, functionName, result: state.roots.has(args[0]) }))
    case 'issuerSchemaIdToPubkey': {
      const result = state.issuers.get(args[0]) ?? { x: 0n, y: 0n }
      return ok(encodeFunctionResult({ abi, functionName, result }))
    }
    case 'getOprfPublicKey': {
      const result = state.oprfKeys.get(args[0])
      if (result) return ok(encodeFunctionResult({ abi, functionName, result }))
      return revert(encodeErrorResult({ abi, errorName: 'UnknownId', args: [args[0]] }))
    }
    default:
      return state.accepts
        ? ok('0x')
        : revert(encodeErrorResult({ abi, errorName: 'ProofInvalid' }))
  }
}

function contractOf(functionName: FunctionCall['functionName']): string {
  if (functionName === 'isValidRoot') return WORLD_ID_REGISTRY
  if (functionName === 'issuerSchemaIdToPubkey') return ISSUER_REGISTRY
  return functionName === 'getOprfPublicKey' ? OPRF_KEY_REGISTRY : VERIFIER
}

/** The answer of a node to a call that reverts. */
export function revert(data: Hex): object {
  return { error: { code: 3, message: 'execution reverted', data } }
}
