/**
 * Whether a person has done an action as often as is allowed; 0 means no limit.
 *
 * Only for refusing early: the statement that records the verification enforces the limit.
 */
export function limitReached(maxVerifications: number, uses: number): boolean {
  return maxVerifications > 0 && uses >= maxVerifications
}
