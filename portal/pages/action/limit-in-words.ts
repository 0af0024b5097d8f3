/** Describes how often each person may verify for an action. */
export function limitInWords(maxVerifications: number): string {
  if (maxVerifications === 0) return 'any number of times'
  return maxVerifications === 1 ? 'once' : `up to ${maxVerifications} times`
}
