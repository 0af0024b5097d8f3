import { FormDialog } from '../../components/form-dialog.tsx'
import type { FieldWords } from '../../components/row-form/field-words.ts'
import { RowForm } from '../../components/row-form/row-form.tsx'
import { useRowForm } from '../../components/row-form/use-row-form.ts'
import { CorrectPaymentDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { writeAmount } from './amount.ts'
import { PaymentFields } from './payment-fields.tsx'
import { type PaymentEntry, PaymentInput } from './payment-input.ts'
import type { Payment } from './payments-query.ts'

type Props = { payment: Payment; onClose(): void }

/** Corrects a payment that no block contains yet. */
export function CorrectPaymentDialog({ payment, onClose }: Props) {
  return (
    <FormDialog isOpen onClose={onClose} title={`Correct ${payment.reference}`}>
      <CorrectPaymentForm payment={payment} onDone={onClose} />
    </FormDialog>
  )
}

const CorrectedPayment = PaymentInput.partial()

function CorrectPaymentForm({ payment, onDone }: { payment: Payment; onDone(): void }) {
  const { id, reference, chain, token, token_amount, to, transaction_hash } = payment
  const { expected_from = null, not_before = null } = payment
  const rowForm = useRowForm({
    row: { reference, chain, token, token_amount, to, transaction_hash, expected_from, not_before },
    toValues: entryOf,
    schema: CorrectedPayment,
  })
  return (
    <RowForm
      rowForm={rowForm}
      words={WORDS}
      update={async ({ set, where }) => {
        const { update_transaction: outcome } = await request(CorrectPaymentDocument, {
          id,
          set,
          where,
        })
        return outcome?.affected_rows ?? 0
      }}
      label="Save"
      toast="Payment corrected. We are looking it up on the chain."
      onDone={onDone}
    >
      <PaymentFields form={rowForm.form} />
    </RowForm>
  )
}

type Row = Pick<
  Payment,
  'reference' | 'chain' | 'token' | 'token_amount' | 'to' | 'transaction_hash'
> & { expected_from: string | null; not_before: string | null }

function entryOf(row: Row): PaymentEntry {
  return {
    reference: row.reference,
    chain: row.chain,
    token: row.token,
    token_amount: writeAmount(row.token_amount),
    to: row.to,
    transaction_hash: row.transaction_hash,
    expected_from: row.expected_from ?? '',
    not_before: row.not_before === null ? '' : localTime(row.not_before),
  }
}

/** Writes a time as a field of the type datetime-local has it: in the user's time zone, without the zone. */
function localTime(time: string): string {
  const date = new Date(time)
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, date.getSeconds() === 0 ? 16 : 19)
}

const WORDS: FieldWords<PaymentEntry> = {
  reference: { label: 'Reference' },
  chain: { label: 'Chain' },
  token: { label: 'Token' },
  token_amount: { label: 'Amount' },
  to: { label: 'Receiver' },
  transaction_hash: { label: 'Transaction hash' },
  expected_from: { label: 'Expected payer' },
  not_before: { label: 'Not before' },
}
