import { z } from 'zod'
import type { InputForm } from '../../components/use-input-form.ts'
import { parseAmount } from './amount.ts'

const LAST_YEAR = 9999

/** The fields of the payment form, parsed to the fields of the mutation. */
export const PaymentInput = z.object({
  reference: z.string().trim().min(1, 'Enter a reference.').max(128, 'At most 128 characters.'),
  chain: z.string().min(1, 'Choose a chain.'),
  token: z.string().min(1, 'Choose a token.'),
  token_amount: z.string().transform((text, { addIssue }) => {
    const amount = parseAmount(text)
    if (amount === null) addIssue('Enter a number above zero with at most 6 decimals, such as 1.5.')
    return amount ?? z.NEVER
  }),
  to: requirePattern(/^0x[0-9a-fA-F]{40}$/, 'Enter an address: 0x and 40 hexadecimal digits.'),
  transaction_hash: requirePattern(
    /^0x[0-9a-fA-F]{64}$/,
    'Enter a transaction hash: 0x and 64 hexadecimal digits.',
  ),
  // The database rejects empty texts in the next two columns.
  expected_from: requirePattern(
    /^(0x[0-9a-fA-F]{40})?$/,
    'Enter an address: 0x and 40 hexadecimal digits.',
  ).transform((address) => address || null),
  not_before: z.string().transform((text, { addIssue }) => {
    if (text === '') return null
    // Without a time zone, the browser reads the text as local time.
    const time = new Date(text)
    const year = time.getFullYear()
    if (year >= 1970 && year <= LAST_YEAR) return time.toISOString()
    addIssue(`Enter a time between 1970 and ${LAST_YEAR}.`)
    return z.NEVER
  }),
})

/** The fields as the form has them. */
export type PaymentEntry = z.input<typeof PaymentInput>

export type PaymentForm<Parsed> = InputForm<PaymentEntry, Parsed>

/** The empty form. */
export const NO_PAYMENT: PaymentEntry = {
  reference: '',
  chain: '',
  token: '',
  token_amount: '',
  to: '',
  transaction_hash: '',
  expected_from: '',
  not_before: '',
}

function requirePattern(pattern: RegExp, message: string) {
  return z.string().trim().regex(pattern, message)
}
