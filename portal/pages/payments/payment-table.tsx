import { Anchor, Badge, Stack, Text } from '@mantine/core'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { CutCopyable } from '../../components/list/cut-copyable.tsx'
import { Moment } from '../../components/moment.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { writeAmount } from './amount.ts'
import { explorerLink } from './explorers.ts'
import { failureInWords } from './failure-in-words.ts'
import { PaymentChanges } from './payment-changes.tsx'
import type { Payment } from './payments-query.ts'

/** Lists payments, newest first. */
export function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  const mayChange = useAllowed('enterPayment')
  const columns = mayChange ? [...COLUMNS, CHANGES] : COLUMNS
  return <DataTable rows={payments} rowKey={({ id }) => id} columns={columns} minWidth={820} />
}

const COLUMNS: readonly Column<Payment>[] = [
  {
    title: 'Reference',
    cell: ({ reference, created_at }) => (
      <>
        <Text size="sm" maw="12rem" lineClamp={2} title={reference} style={BREAK_ANYWHERE}>
          {reference}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <Moment at={created_at} />
        </Text>
      </>
    ),
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ token_amount, token }) => (
      <Text size="sm" maw="10rem" ml="auto" style={BREAK_ANYWHERE}>
        {token_amount && `${writeAmount(token_amount)} ${token}`}
      </Text>
    ),
  },
  { title: 'Status', cell: (payment) => <Status payment={payment} /> },
  { title: 'Payer and receiver', cell: (payment) => <Parties payment={payment} /> },
  {
    title: 'Transaction',
    cell: (payment) => (
      <>
        <Chain payment={payment} />
        <CutCopyable
          text={payment.transaction_hash}
          label={`transaction hash of ${payment.reference}`}
        />
      </>
    ),
  },
]

const BREAK_ANYWHERE = { overflowWrap: 'anywhere' } as const

const CHANGES: Column<Payment> = {
  title: 'Changes',
  hasButtons: true,
  cell: (payment) => <PaymentChanges payment={payment} />,
}

const STATUS: ReadonlyMap<string, { label: string; color: string }> = new Map([
  ['pending', { label: 'Pending', color: 'yellow' }],
  ['mined', { label: 'Paid', color: 'teal' }],
  ['failed', { label: 'Failed', color: 'red' }],
])

function Status({ payment }: { payment: Payment }) {
  const { transaction_status, is_final, failure_reason } = payment
  const { label, color } = STATUS.get(transaction_status) ?? {
    label: transaction_status,
    color: 'gray',
  }
  return (
    <Stack gap={2} maw="14rem">
      <Badge variant="light" color={color}>
        {label}
      </Badge>
      {failure_reason && (
        <Text size="xs" c="dimmed">
          {failureInWords(failure_reason)}
        </Text>
      )}
      {failure_reason === 'too_early' && <TooEarly payment={payment} />}
      {transaction_status === 'mined' && !is_final && (
        <Text size="xs" c="dimmed">
          not final yet
        </Text>
      )}
    </Stack>
  )
}

/** The time of the payment, and the earliest time that counts. */
function TooEarly({ payment: { block_timestamp, not_before } }: { payment: Payment }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {block_timestamp && (
        <div>
          Paid: <Moment at={block_timestamp} />
        </div>
      )}
      {not_before && (
        <div>
          Counts from: <Moment at={not_before} />
        </div>
      )}
    </Text>
  )
}

/** The addresses that paid and received, and the address that should have paid if it is another address. */
function Parties({ payment: { from, to, expected_from, reference } }: { payment: Payment }) {
  return (
    <>
      {from && <Party title="Payer" address={from} label={`payer of ${reference}`} />}
      {expected_from && expected_from !== from && (
        <Party
          title="Expected payer"
          address={expected_from}
          label={`expected payer of ${reference}`}
        />
      )}
      {to && <Party title="Receiver" address={to} label={`receiver of ${reference}`} />}
    </>
  )
}

function Party({ title, address, label }: { title: string; address: string; label: string }) {
  return (
    <>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <CutCopyable text={address} label={label} />
    </>
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
