import { z } from 'zod'
import { type G1, type G2, p } from './field.ts'
import legacyDepth20 from './keys/semaphore-legacy-depth-20.json' with { type: 'json' }
import v3Depth30 from './keys/semaphore-v3-depth-30.json' with { type: 'json' }
import worldId4 from './keys/world-id-4.json' with { type: 'json' }
import { curveCompiled, inTwistSubgroup, onCurve } from './pairing/mcl-verifier.ts'
import type { VerificationKey } from './pairing/verification-key.ts'

await curveCompiled

const Coordinate = z
  .string()
  .regex(/^[0-9]{1,77}$/)
  .transform(BigInt)
  .refine((n) => n < p, 'is not below the modulus')
const PointG1 = z
  .tuple([Coordinate, Coordinate, z.literal('1')])
  .transform(([x, y]): G1 => [x, y])
  .refine(onCurve, 'is not a point of the curve')
const Pair = z.tuple([Coordinate, Coordinate])
const PointG2 = z
  .tuple([Pair, Pair, z.tuple([z.literal('1'), z.literal('0')])])
  .transform(([x, y]): G2 => [x, y])
  .refine(inTwistSubgroup, 'is not a point of the subgroup of the twist')

/** A key in the format of snarkjs. IC has a constant point, and a point for each public signal. */
const SnarkjsKey = z
  .object({
    protocol: z.literal('groth16'),
    curve: z.literal('bn128'),
    nPublic: z.int().min(1).max(64),
    vk_alpha_1: PointG1,
    vk_beta_2: PointG2,
    vk_gamma_2: PointG2,
    vk_delta_2: PointG2,
    IC: z.tuple([PointG1], PointG1),
  })
  .refine(({ nPublic, IC }) => IC.length === nPublic + 1, {
    path: ['IC'],
    error: 'must have one point more than nPublic',
  })
  .transform(
    (key): VerificationKey => ({
      alpha: key.vk_alpha_1,
      beta: key.vk_beta_2,
      gamma: key.vk_gamma_2,
      delta: key.vk_delta_2,
      ic: key.IC,
    }),
  )

/**
 * Parses a verification key in the format of snarkjs.
 *
 * @throws ZodError that names the wrong member, for example a point that is not on the curve
 */
export function parseVerificationKey(json: unknown): VerificationKey {
  return SnarkjsKey.parse(json)
}

/** The keys of real trusted-setup ceremonies, by their names in the configuration. */
export const ceremonyKeys: ReadonlyMap<string, VerificationKey> = new Map([
  ['semaphore-v3-depth-30', parseVerificationKey(v3Depth30)],
  ['semaphore-legacy-depth-20', parseVerificationKey(legacyDepth20)],
  ['world-id-4', parseVerificationKey(worldId4)],
])

/**
 * True if the simulator made this key, whatever its name.
 *
 * The secrets of the development key are public, so anyone can forge proofs for it. Every key from the published seed
 * has the same alpha.
 */
export function isDevelopmentKey({ alpha: [x, y] }: VerificationKey): boolean {
  return x === DEVELOPMENT_ALPHA[0] && y === DEVELOPMENT_ALPHA[1]
}

const DEVELOPMENT_ALPHA: G1 = [
  21502054848614431122097115326455176101325301147460257748210798768942533442722n,
  15919812013947710252300688736464684481411408389703388609028869517717543431574n,
]
