const HEX_DIGITS = 64

/**
 * The spelling in which a nullifier is stored, `0x` and 64 hexadecimal digits, of one in any spelling: with or without `0x`,
 * in capitals, with leading zeros left out, or in decimal digits.
 *
 * @returns null for what is no nullifier
 */
export function parseNullifier(text: string): string | null {
  const trimmed = text.trim().toLowerCase()
  const isDecimal = /^\d+$/.test(trimmed) && trimmed.length !== HEX_DIGITS
  const [, digits] = /^(?:0x)?([0-9a-f]+)$/.exec(trimmed) ?? []
  if (digits === undefined) return null
  const hex = BigInt(isDecimal ? trimmed : `0x${digits}`).toString(16)
  return hex.length > HEX_DIGITS ? null : `0x${hex.padStart(HEX_DIGITS, '0')}`
}
