import { TextInput } from '@mantine/core'
import { ChainFields } from './chain-fields.tsx'
import { MoreFields } from './more-fields.tsx'
import type { PaymentForm } from './payment-input.ts'

const FIELDS = [
  {
    name: 'reference',
    label: 'Reference',
    description:
      'Your name for the payment, such as an order number. Each reference can be paid once.',
    placeholder: 'order-7',
  },
  {
    name: 'token_amount',
    label: 'Amount',
    description: 'The number of tokens, such as 2 or 1.5. At most six decimals.',
    placeholder: '1.5',
    inputMode: 'decimal',
  },
  {
    name: 'to',
    label: 'Receiver',
    description: 'The address of yours that received the payment.',
    placeholder: '0x…',
  },
  {
    name: 'transaction_hash',
    label: 'Transaction hash',
    description:
      'The payer’s wallet shows it. It is public, so make sure that your customer made this payment.',
    placeholder: '0x…',
  },
] as const

/** The fields of a payment, to enter or to correct it. */
export function PaymentFields<Parsed>({ form }: { form: PaymentForm<Parsed> }) {
  return (
    <>
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
      <ChainFields form={form} />
      <MoreFields form={form} />
    </>
  )
}
