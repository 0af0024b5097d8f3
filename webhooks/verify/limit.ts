/**
 * Whether a person has done an action as often as is allowed; 0 is without a limit.
 *
 * For telling early. What enforces the limit is the one statement that records.
 */
export function limitReached(maxVerifications: number, uses: number): boolean {
  return maxVerifications > 0 && uses >= maxVerifications
}
