import { z } from 'zod'

/** PostgreSQL's largest `integer`. */
const MAX_LIMIT = 2_147_483_647

/** The value of the field for an action without a limit. The database stores 0, which no user types. */
export const UNLIMITED = 'unlimited'

const NUMBER = new Intl.NumberFormat('en')

/** Parses the field for the limit of an action: `UNLIMITED`, or the digits of a number above zero. */
export const Limit = z.string().transform((text, { addIssue }) => {
  if (text === UNLIMITED) return 0
  const digits = text.trim()
  const limit = /^[0-9]{1,10}$/.test(digits) ? Number(digits) : Number.NaN
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  addIssue(
    limit === 0
      ? 'Enter a number above zero, or choose Unlimited.'
      : `Enter a whole number from 1 to ${NUMBER.format(MAX_LIMIT)}.`,
  )
  return z.NEVER
})

/** Returns the value of the field for a stored limit. */
export function writeLimit(maxVerifications: number): string {
  return maxVerifications === 0 ? UNLIMITED : String(maxVerifications)
}
