import { keccak256 } from 'viem'

/**
 * Computes the id of the relying party of an app: `rp_` and 16 hex digits, the first 8 bytes of Keccak-256 of the app
 * id.
 */
export function rpIdOfApp(appId: string): string {
  return `rp_${keccak256(Buffer.from(appId)).slice(2, 18)}`
}

/**
 * Parses an rp id to the number that contracts and proofs have.
 *
 * @returns null unless the text is `rp_` and 16 hex digits, in upper or lower case
 */
export function parseRpId(text: string): bigint | null {
  return /^rp_[0-9a-fA-F]{16}$/.test(text) ? BigInt(`0x${text.slice(3)}`) : null
}

/** Formats the number of a relying party as an rp id. */
export function formatRpId(rpId: bigint): string {
  return `rp_${rpId.toString(16).padStart(16, '0')}`
}
