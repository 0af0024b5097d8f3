import { Anchor, Badge, Stack, Text } from '@mantine/core'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/moment.tsx'
import type { PaymentsQuery } from '../../graphql/generated/graphql.ts'
import { writeAmount } from './amount.ts'
import { explorerLink } from './explorers.ts'
import { failureInWords } from './failure-in-words.ts'

export type Payment = PaymentsQuery['transaction'][number]

/** Lists payments, newest first. */
export function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  return <DataTable rows={payments} rowKey={({ id }) => id} columns={COLUMNS} minWidth={720} />
}

const COLUMNS: readonly Column<Payment>[] = [
  { title: 'Reference', cell: ({ reference }) => reference },
  {
    title: 'Amount',
    cell: ({ token_amount, token }) => token_amount && `${writeAmount(token_amount)} ${token}`,
  },
  { title: 'Status', cell: (payment) => <Status payment={payment} /> },
  {
    title: 'Transaction',
    cell: (payment) => (
      <>
        <Chain payment={payment} />
        <Copyable text={payment.transaction_hash} label="transaction hash" />
      </>
    ),
  },
  { title: 'Entered', cell: ({ created_at }) => <Moment at={created_at} /> },
]

const STATUS: Readonly<Record<string, { label: string; color: string }>> = {
  pending: { label: 'Pending', color: 'yellow' },
  mined: { label: 'Paid', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
}

function Status({ payment }: { payment: Payment }) {
  const { transaction_status, is_final, failure_reason } = payment
  const { label, color } = STATUS[transaction_status] ?? {
    label: transaction_status,
    color: 'gray',
  }
  return (
    <Stack gap={2}>
      <Badge variant="light" color={color}>
        {label}
      </Badge>
      {failure_reason && (
        <Text size="xs" c="dimmed">
          {failureInWords(failure_reason)}
        </Text>
      )}
      {transaction_status === 'mined' && !is_final && (
        <Text size="xs" c="dimmed">
          not final yet
        </Text>
      )}
    </Stack>
  )
}

/** The chain's name, with a link to the transaction if the chain has an explorer. */
function Chain({ payment: { chain, transaction_hash, reference } }: { payment: Payment }) {
  const link = explorerLink(chain, transaction_hash)
  if (!link) return <Text size="sm">{chain}</Text>
  return (
    <Anchor
      size="sm"
      href={link}
      target="_blank"
      rel="noreferrer"
      aria-label={`${reference} on the explorer of ${chain}`}
    >
      {chain}
    </Anchor>
  )
}
