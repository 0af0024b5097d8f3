import { type Hex, keccak256, numberToBytes, numberToHex, stringToBytes } from 'viem'
import { privateKeyToAddress, signMessage } from 'viem/accounts'

/** How long wallets accept a signed request, as in IDKit. */
const LIFETIME_SECONDS = 300

/** The version of the signed message. */
const MESSAGE_VERSION = 1

/** A request as its relying party signs it. Times are seconds since the epoch. */
export type RequestToSign = { action: string; nonce: Hex; createdAt: number; expiresAt: number }

/** A request with its signature. */
export type SignedRequest = RequestToSign & { signature: Hex }

/** Signs a new request for a proof, as `signRequest` of IDKit does on an app's server. */
export async function signRequest(privateKey: Hex, action: string): Promise<SignedRequest> {
  const createdAt = Math.floor(Date.now() / 1_000)
  const request = {
    action,
    nonce: formatElement(hashBytes(crypto.getRandomValues(new Uint8Array(32)))),
    createdAt,
    expiresAt: createdAt + LIFETIME_SECONDS,
  }
  return { ...request, signature: await createSignature(privateKey, request) }
}

/**
 * Signs a request: an EIP-191 signature of version (1 byte), nonce (32), creation (8), expiry (8) and action (32).
 *
 * @returns the 65 bytes r, s and v
 */
export function createSignature(privateKey: Hex, request: RequestToSign): Promise<Hex> {
  const raw = Uint8Array.from([
    MESSAGE_VERSION,
    ...numberToBytes(BigInt(request.nonce), { size: 32 }),
    ...numberToBytes(request.createdAt, { size: 8 }),
    ...numberToBytes(request.expiresAt, { size: 8 }),
    ...numberToBytes(actionElement(request.action), { size: 32 }),
  ])
  return signMessage({ message: { raw }, privateKey })
}

/** Returns the field element of an action, in the form in which requests send it. */
export function formatAction(action: string): Hex {
  return formatElement(actionElement(action))
}

/** Returns the address of a key, in lower case; null for a number that is not a private key. */
export function keyAddressOf(privateKey: Hex): string | null {
  try {
    return privateKeyToAddress(privateKey).toLowerCase()
  } catch {
    return null
  }
}

function actionElement(action: string): bigint {
  return hashBytes(stringToBytes(action))
}

/** Hashes bytes to the field, as the protocol does: Keccak-256, shifted right by eight bits. */
function hashBytes(bytes: Uint8Array): bigint {
  return BigInt(keccak256(bytes)) >> 8n
}

function formatElement(element: bigint): Hex {
  return numberToHex(element, { size: 32 })
}
