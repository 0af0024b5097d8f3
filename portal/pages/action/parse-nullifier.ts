const HEX_DIGITS = 64

/**
 * Converts a nullifier to the stored form: `0x` and 64 hexadecimal digits. The input may lack `0x` or leading zeros, have
 * capitals, or be decimal. 64 digits without `0x` are always hexadecimal.
 *
 * @returns null if the text is not a nullifier
 */
export function parseNullifier(text: string): string | null {
  const trimmed = text.trim().toLowerCase()
  const isDecimal = /^\d+$/.test(trimmed) && trimmed.length !== HEX_DIGITS
  const [, digits] = /^(?:0x)?([0-9a-f]+)$/.exec(trimmed) ?? []
  if (digits === undefined) return null
  const hex = BigInt(isDecimal ? trimmed : `0x${digits}`).toString(16)
  return hex.length > HEX_DIGITS ? null : `0x${hex.padStart(HEX_DIGITS, '0')}`
}
