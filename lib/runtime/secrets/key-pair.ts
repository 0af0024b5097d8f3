import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK } from 'jose'
import { z } from 'zod'
import { seal, unseal } from './seal.ts'
import type { Secrets } from './secret.ts'

/** PS256 signs verification tokens, RS256 the tokens of sign-in. */
type Algorithm = 'PS256' | 'RS256'

const PublicRsaJwk = z.object({ e: z.string(), n: z.string(), kty: z.literal('RSA') })

const PrivateRsaJwk = PublicRsaJwk.extend({
  d: z.string(),
  p: z.string(),
  q: z.string(),
  dp: z.string(),
  dq: z.string(),
  qi: z.string(),
})

/** Both halves of an RSA key as a JSON Web Key (RFC 7518 6.3). */
export type PrivateRsaJwk = z.infer<typeof PrivateRsaJwk>

/** A key pair as the table `jwks` stores it. */
export type StoredKey = {
  /** The `kid` in the header of every token that this key signs. */
  id: string
  public_jwk: z.infer<typeof PublicRsaJwk>
  private_jwk_encrypted: string
}

/** Makes a 2048-bit RSA key. Encrypts its private half, which can be decrypted only with a secret and the key's id. */
export async function makeSigningKey(algorithm: Algorithm, secrets: Secrets): Promise<StoredKey> {
  const pair = await generateKeyPair(algorithm, { modulusLength: 2_048, extractable: true })
  const id = `jwk_${randomBytes(16).toString('hex')}`
  const publicJwk = PublicRsaJwk.parse(await exportJWK(pair.publicKey))
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  const sealed = seal(privateJwk, { secrets, owner: id })
  return { id, public_jwk: publicJwk, private_jwk_encrypted: sealed }
}

/**
 * Decrypts the private half of a stored key.
 *
 * @throws Error if it was sealed with another secret or for another id
 */
export async function openSigningKey(
  key: SealedKey,
  { algorithm, secrets }: { algorithm: Algorithm; secrets: Secrets },
) {
  return importJWK(openSigningJwk(key, secrets), algorithm)
}

/** Decrypts the private half as a JSON Web Key; throws like `openSigningKey`. */
export function openSigningJwk(
  { id, private_jwk_encrypted: sealed }: SealedKey,
  secrets: Secrets,
): PrivateRsaJwk {
  return PrivateRsaJwk.parse(JSON.parse(unseal(sealed, { secrets, owner: id })))
}

type SealedKey = Pick<StoredKey, 'id' | 'private_jwk_encrypted'>
