import { Modal, TextInput } from '@mantine/core'
import { ChangeForm } from '../../components/change-form.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { EnterPaymentDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/current-app.tsx'
import { ChainField } from './chain-field.tsx'
import { MoreFields } from './more-fields.tsx'
import { NO_PAYMENT, PaymentInput } from './payment-input.ts'

const FIELDS = [
  {
    name: 'reference',
    label: 'Reference',
    description:
      'Your own name for what is paid, such as the number of an order. Each is paid once.',
    placeholder: 'order-7',
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
  const form = useInputForm(PaymentInput, NO_PAYMENT)
  return (
    <Modal opened={isOpen} onClose={onClose} title="Enter a payment">
      <ChangeForm
        form={form}
        change={(payment) => request(EnterPaymentDocument, { object: { app_id, ...payment } })}
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
        <ChainField form={form} />
        <MoreFields form={form} />
      </ChangeForm>
    </Modal>
  )
}
