import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Secrets } from './secret.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

type Lock = {
  /** Of at least 32 characters each, from the configuration: keys are derived from them. */
  secrets: Secrets
  /** The id of the row that the text belongs to: with another id it cannot be decrypted. */
  owner: string
}

/** Encrypts a text for the database (AES-256-GCM, with the owner as additional data). */
export function seal(text: string, { secrets: [secret], owner }: Lock): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(secret), iv).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/**
 * Decrypts what `seal` made, with whichever of the secrets it was sealed.
 *
 * @throws Error when a byte was changed, or the secret or owner is another
 */
export function unseal(sealed: string, { secrets, owner }: Lock): string {
  const [secret, ...others] = secrets
  const [next, ...rest] = others
  try {
    return unsealWith(sealed, secret, owner)
  } catch (error) {
    if (next === undefined) throw error
    return unseal(sealed, { secrets: [next, ...rest], owner })
  }
}

function unsealWith(sealed: string, secret: string, owner: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const [iv, rest] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)]
  const decipher = createDecipheriv(CIPHER, deriveKey(secret), iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(rest.subarray(0, TAG_BYTES))
  return Buffer.concat([decipher.update(rest.subarray(TAG_BYTES)), decipher.final()]).toString()
}

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'seal', 32))
}
