import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Secrets } from './secret.ts'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

type Lock = {
  /** The secrets of the configuration, at least 32 characters each; the keys are derived from them. */
  secrets: Secrets
  /** The id of the text's row; the text cannot be decrypted with another id. */
  owner: string
}

/** Encrypts a text for the database (AES-256-GCM, with the owner as additional data). Uses the first secret. */
export function seal(text: string, { secrets: [secret], owner }: Lock): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(secret), iv).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/**
 * Decrypts a result of `seal`. Tries each secret in turn.
 *
 * @throws Error if a byte was changed, or if the secret or the owner differs
 */
export function unseal(sealed: string, { secrets, owner }: Lock): string {
  const [secret, next, ...laterSecrets] = secrets
  try {
    return unsealWith(sealed, secret, owner)
  } catch (error) {
    if (next === undefined) throw error
    return unseal(sealed, { secrets: [next, ...laterSecrets], owner })
  }
}

function unsealWith(sealed: string, secret: string, owner: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const [iv, tagAndText] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)]
  const decipher = createDecipheriv(CIPHER, deriveKey(secret), iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tagAndText.subarray(0, TAG_BYTES))
  const text = decipher.update(tagAndText.subarray(TAG_BYTES))
  return Buffer.concat([text, decipher.final()]).toString()
}

function deriveKey(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'seal', 32))
}
