import { encodeAbiParameters, type Hex, parseAbiParameters } from 'viem'
import { z } from 'zod'
import { contractCodes } from './contract-codes.ts'
import { type ContractCreation, contractCreation, createContract } from './create-contract.ts'
import type { Group } from './group-names.ts'
import { connectLocalChain, OWNER } from './local-chain.ts'

/** The verification keys of the verifier contracts, in snarkjs' format. */
export type VerifierKeys = Record<Group, unknown>

/** The addresses of the verifier contracts of protocol 4.0. */
export type Verifiers = Record<Group, Hex>

/**
 * Deploys the verifier contracts of protocol 4.0 that are missing on the local chain.
 *
 * A contract with another key has another address.
 *
 * @throws Error with a message for the user at the terminal
 */
export async function deployWorldId(rpcUrl: string, keys: VerifierKeys): Promise<Verifiers> {
  const chain = await connectLocalChain(rpcUrl)
  const [production, staging] = await Promise.all([
    planVerifier('production', keys.production),
    planVerifier('staging', keys.staging),
  ])
  await createContract(chain, production)
  await createContract(chain, staging)
  return { production: production.address, staging: staging.address }
}

/** Returns the address of a verifier contract, whether it exists or not. */
export async function verifierAddress(group: Group, key: unknown): Promise<Hex> {
  return (await planVerifier(group, key)).address
}

/** How long a root stays valid, as in the public contract. */
const ROOT_VALIDITY_WINDOW_SECONDS = 3600n

/** How old `expiresAtMin` may be, as in the public contract. */
const MIN_EXPIRATION_THRESHOLD_SECONDS = 18_000n

const parameters = parseAbiParameters('address, uint256, uint256, uint256[46]')

async function planVerifier(group: Group, key: unknown): Promise<ContractCreation> {
  const { WorldId: code } = await contractCodes()
  const bounds = [ROOT_VALIDITY_WINDOW_SECONDS, MIN_EXPIRATION_THRESHOLD_SECONDS] as const
  const args = encodeAbiParameters(parameters, [OWNER, ...bounds, keyWords(key)])
  return contractCreation(`world id ${group}`, code, args)
}

const Coordinate = z.string().transform(BigInt)
const Pair = z.tuple([Coordinate, Coordinate])
const CurvePoint = z.tuple([Coordinate, Coordinate], z.unknown()).transform(([x, y]) => [x, y])
/** The contract takes the imaginary part of a coordinate first. */
const TwistPoint = z
  .tuple([Pair, Pair], z.unknown())
  .transform(([x, y]) => [...x.toReversed(), ...y.toReversed()])

const SnarkjsKey = z.object({
  vk_alpha_1: CurvePoint,
  vk_beta_2: TwistPoint,
  vk_gamma_2: TwistPoint,
  vk_delta_2: TwistPoint,
  IC: z.array(CurvePoint).length(16),
})

/** Returns a key as the contract takes it: alpha, beta, gamma, delta and IC. */
function keyWords(json: unknown): KeyWords {
  const { vk_alpha_1, vk_beta_2, vk_gamma_2, vk_delta_2, IC } = SnarkjsKey.parse(json)
  return KeyWords.parse([...vk_alpha_1, ...vk_beta_2, ...vk_gamma_2, ...vk_delta_2, ...IC.flat()])
}

type KeyWords = Parameters<typeof encodeAbiParameters<typeof parameters>>[1][3]
const KeyWords = z.custom<KeyWords>((words) => Array.isArray(words) && words.length === 46)
