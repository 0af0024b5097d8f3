import { z } from 'zod'
import type { InputForm } from '../../components/use-input-form.ts'
import { parseAmount } from './amount.ts'

const LAST_YEAR = 9999

/** A payment as people write it, parsed to what the database holds. */
export const PaymentInput = z.object({
  reference: z.string().trim().min(1, 'Enter a reference.').max(128, 'At most 128 characters.'),
  chain: z.string().min(1, 'Choose a chain.'),
  token: matching(/^[A-Z0-9]{1,16}$/, 'Enter the name of a token, such as USDCE.', upperCase),
  token_amount: z.string().transform((written, { addIssue }) => {
    const amount = parseAmount(written)
    if (amount === null) addIssue('Enter a number above zero with at most 6 decimals, such as 1.5.')
    return amount ?? z.NEVER
  }),
  to: matching(/^0x[0-9a-fA-F]{40}$/, 'Enter an address: 0x and 40 hexadecimal digits.'),
  transaction_hash: matching(
    /^0x[0-9a-fA-F]{64}$/,
    'Enter a transaction hash: 0x and 64 hexadecimal digits.',
  ),
  // The database refuses empty texts in these two.
  expected_from: matching(
    /^(0x[0-9a-fA-F]{40})?$/,
    'Enter an address: 0x and 40 hexadecimal digits.',
  ).transform((address) => address || null),
  not_before: z.string().transform((written, { addIssue }) => {
    if (written === '') return null
    // Without a time zone it is read as the time where the person is.
    const time = new Date(written)
    const year = time.getFullYear()
    if (year >= 1970 && year <= LAST_YEAR) return time.toISOString()
    addIssue(`Enter a time between 1970 and ${LAST_YEAR}.`)
    return z.NEVER
  }),
})

type Written = z.input<typeof PaymentInput>

export type PaymentForm = InputForm<Written, z.output<typeof PaymentInput>>

/** Before anything is written. */
export const NO_PAYMENT: Written = {
  reference: '',
  chain: '',
  token: '',
  token_amount: '',
  to: '',
  transaction_hash: '',
  expected_from: '',
  not_before: '',
}

function matching(pattern: RegExp, otherwise: string, spell = (text: string) => text) {
  return z.string().trim().transform(spell).pipe(z.string().regex(pattern, otherwise))
}

function upperCase(text: string): string {
  return text.toUpperCase()
}
