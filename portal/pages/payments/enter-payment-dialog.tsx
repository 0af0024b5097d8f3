import { Modal, TextInput } from '@mantine/core'
import { z } from 'zod'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { EnterPaymentDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/app.tsx'
import { parseAmount } from './amount.ts'
import { refusalInWords } from './refusal-in-words.ts'

/** The fields as people write them, and as the database holds them. */
const Input = z.object({
  reference: z
    .string()
    .trim()
    .min(1, 'Enter a reference.')
    .max(128, 'Must be 128 characters at most.'),
  chain: matching(/^[a-z0-9-]{1,32}$/, 'Enter the name of a chain, such as worldchain.'),
  token: matching(/^[A-Z0-9]{1,16}$/, 'Enter the name of a token, such as USDCE.', upperCase),
  token_amount: z.string().transform((written, { addIssue }) => {
    const amount = parseAmount(written)
    if (amount === null)
      addIssue('Enter a number above zero, such as 1.5, with 6 decimals at most.')
    return amount ?? z.NEVER
  }),
  to: matching(/^0x[0-9a-fA-F]{40}$/, 'An address is 0x and 40 digits and letters from a to f.'),
  transaction_hash: matching(
    /^0x[0-9a-fA-F]{64}$/,
    'A transaction hash is 0x and 64 digits and letters from a to f.',
  ),
})

const NOTHING = {
  reference: '',
  chain: '',
  token: '',
  token_amount: '',
  to: '',
  transaction_hash: '',
}

const FIELDS = [
  {
    name: 'reference',
    label: 'Reference',
    description:
      'Your own name for what is paid, such as the number of an order. Each is paid once.',
    placeholder: 'order-7',
  },
  {
    name: 'chain',
    label: 'Chain',
    description: 'Where it was paid, as your platform calls it.',
    placeholder: 'worldchain',
  },
  {
    name: 'token',
    label: 'Token',
    description: 'What it was paid in.',
    placeholder: 'USDCE',
  },
  {
    name: 'token_amount',
    label: 'Amount',
    description: 'In whole tokens, with a point before the decimals.',
    placeholder: '1.5',
    inputMode: 'decimal',
  },
  {
    name: 'to',
    label: 'Receiver',
    description: 'Your address, to which it must have been paid.',
    placeholder: '0x…',
  },
  {
    name: 'transaction_hash',
    label: 'Transaction hash',
    description:
      'The payer’s wallet shows it. So does the chain’s explorer, to everybody: make sure that it is your customer’s.',
    placeholder: '0x…',
  },
] as const

/** Enters a payment that a server of the app has not told the platform of. */
export function EnterPaymentDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { id: app_id } = useApp()
  const form = useInputForm(Input, NOTHING)
  return (
    <Modal opened={isOpen} onClose={onClose} title="Enter a payment">
      <ChangeForm
        form={form}
        change={(payment) =>
          request(EnterPaymentDocument, { object: { app_id, ...payment } }).catch(refusalInWords)
        }
        label="Enter the payment"
        done="The payment is entered. Its chain is asked for it now."
        onDone={() => {
          form.reset()
          onClose()
        }}
      >
        {FIELDS.map(({ name, ...words }, index) => (
          <TextInput
            key={name}
            {...words}
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            data-autofocus={index === 0}
            {...form.getInputProps(name)}
          />
        ))}
      </ChangeForm>
    </Modal>
  )
}

function matching(pattern: RegExp, otherwise: string, spell = (text: string) => text) {
  return z.string().trim().transform(spell).pipe(z.string().regex(pattern, otherwise))
}

function upperCase(text: string): string {
  return text.toUpperCase()
}
