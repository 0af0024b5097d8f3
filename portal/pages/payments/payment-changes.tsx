import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ConfirmChange } from '../../components/confirm-change.tsx'
import { RemovePaymentDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { CorrectPaymentDialog } from './correct-payment-dialog.tsx'
import type { Payment } from './payments-query.ts'

/** Buttons that correct or remove a payment that no block contains yet. */
export function PaymentChanges({ payment }: { payment: Payment }) {
  const { id, reference, type, transaction_status } = payment
  const [isCorrecting, { open, close }] = useDisclosure()
  const isPending = transaction_status === 'pending'
  return (
    <>
      {isPending && type === 'payment' && (
        <Button size="xs" variant="default" aria-label={`Correct ${reference}`} onClick={open}>
          Correct
        </Button>
      )}
      {/* Stays open if the payment is mined meanwhile, so that the user keeps what they entered. */}
      {isCorrecting && <CorrectPaymentDialog payment={payment} onClose={close} />}
      {isPending && (
        <ConfirmChange
          label="Remove"
          title={`Remove ${reference}?`}
          consequences="The payment leaves the list, and its reference can be used again. Nothing changes on the chain."
          toast="Payment removed."
          change={(_, signal) => removePayment(id, signal)}
          button={{ size: 'xs', variant: 'default' }}
        />
      )}
    </>
  )
}

async function removePayment(id: string, signal: AbortSignal): Promise<void> {
  const { delete_transaction_by_pk: removed } = await request(RemovePaymentDocument, { id }, signal)
  if (!removed)
    throw new Error('A block contains this payment by now, so it can no longer be removed.')
}
