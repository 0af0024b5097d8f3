const NUMBER = new Intl.NumberFormat('en')

/** Describes how often each person may verify for an action. */
export function limitInWords(maxVerifications: number): string {
  if (maxVerifications === 0) return 'any number of times'
  if (maxVerifications <= 2) return maxVerifications === 1 ? 'once' : 'twice'
  return `up to ${NUMBER.format(maxVerifications)} times`
}
