type CountedAction = { max_verifications: number; nullifiers: readonly { uses: number }[] }

/**
 * Whether a person has done an action as often as is allowed; `nullifiers` are theirs.
 *
 * For telling early. What enforces the limit is the one statement that records.
 */
export function limitReached({ max_verifications: max, nullifiers }: CountedAction): boolean {
  return max > 0 && (nullifiers[0]?.uses ?? 0) >= max
}
