import { ChangeForm } from '../../components/change-form.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useInputForm } from '../../components/use-input-form.ts'
import { EnterPaymentDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useApp } from '../../team/current-app.tsx'
import { PaymentFields } from './payment-fields.tsx'
import { NO_PAYMENT, PaymentInput } from './payment-input.ts'

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
        <PaymentFields form={form} />
      </ChangeForm>
    </FormDialog>
  )
}
