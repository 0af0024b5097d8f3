import { TextInput } from '@mantine/core'
import { ChangeForm } from '../../components/change-form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
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
      'Your name for the payment, such as an order number. Each reference can be paid once.',
    placeholder: 'order-7',
  },
  {
    name: 'token',
    label: 'Token',
    description: 'The token of the payment.',
    placeholder: 'USDCE',
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

/** Enters a payment by hand. Usually, the app's server enters payments. */
export function EnterPaymentDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const { id: app_id } = useApp()
  const form = useInputForm(PaymentInput, NO_PAYMENT)
  return (
    <FormDialog isOpen={isOpen} onClose={onClose} title="Enter a payment">
      <ChangeForm
        form={form}
        change={(payment) => request(EnterPaymentDocument, { object: { app_id, ...payment } })}
        label="Enter the payment"
        toast="Payment added. We are looking it up on the chain."
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
    </FormDialog>
  )
}
