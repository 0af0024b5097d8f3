const HEX_DIGITS = 64

/**
 * Converts a nullifier to the stored form: `0x` and 64 hexadecimal digits. The input may lack `0x` or leading zeros, have
 * capitals, or be decimal. 64 digits without `0x` are always hexadecimal.
 *
 * @returns null if the text is not a nullifier
 */
function parseNullifier(text: string): string | null {
  const trimmed = text.trim().toLowerCase()
  const isDecimal = /^\d+$/.test(trimmed) && trimmed.length !== HEX_DIGITS
  const [, digits] = /^(?:0x)?([0-9a-f]+)$/.exec(trimmed) ?? []
  if (digits === undefined) return null
  const hex = BigInt(isDecimal ? trimmed : `0x${digits}`).toString(16)
  return hex.length > HEX_DIGITS ? null : `0x${hex.padStart(HEX_DIGITS, '0')}`
}

/** The meaning of a search for a person: the nullifier `hash`, and the nullifiers that begin with `prefix`. */
export type NullifierSearch = { hash: string; prefix: string | null }

/**
 * Reads a search for a person: the whole nullifier in any spelling, or its first hexadecimal digits.
 *
 * @returns null if the text is neither
 */
export function parseNullifierSearch(text: string): NullifierSearch | null {
  const hash = parseNullifier(text)
  if (hash === null) return null
  const [, digits = ''] = /^(?:0x)?([0-9a-f]+)$/.exec(text.trim().toLowerCase()) ?? []
  return { hash, prefix: digits.length < HEX_DIGITS ? `0x${digits}` : null }
}

/** The condition of the people that a search finds. All stored nullifiers have the same length, so a prefix is a range. */
export function whereNullifier({ hash, prefix }: NullifierSearch) {
  if (prefix === null) return { nullifier_hash: { _eq: hash } }
  const range = { _gte: prefix.padEnd(hash.length, '0'), _lte: prefix.padEnd(hash.length, 'f') }
  return { _or: [{ nullifier_hash: { _eq: hash } }, { nullifier_hash: range }] }
}
