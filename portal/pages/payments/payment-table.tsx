import { Anchor, Badge, Stack, Table, Text } from '@mantine/core'
import { Copyable } from '../../components/copyable.tsx'
import { Moment } from '../../components/moment.tsx'
import type { PaymentsQuery } from '../../graphql/generated/graphql.ts'
import { writeAmount } from './amount.ts'
import { explorerLink } from './explorers.ts'
import { failureInWords } from './failure-in-words.ts'

export type Payment = PaymentsQuery['transaction'][number]

/** Payments, the latest first. */
export function PaymentTable({ payments }: { payments: readonly Payment[] }) {
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th style={{ whiteSpace: 'nowrap' }}>Reference</Table.Th>
            <Table.Th>Amount</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Transaction</Table.Th>
            <Table.Th>Entered</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {payments.map((payment) => (
            <Table.Tr key={payment.id}>
              <Table.Td>{payment.reference}</Table.Td>
              <Table.Td>
                {payment.token_amount && `${writeAmount(payment.token_amount)} ${payment.token}`}
              </Table.Td>
              <Table.Td>
                <Status payment={payment} />
              </Table.Td>
              <Table.Td>
                <Chain payment={payment} />
                <Copyable text={payment.transaction_hash} what="transaction hash" />
              </Table.Td>
              <Table.Td>
                <Moment at={payment.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

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

/** The chain's name, which leads to the transaction where people can look at it. */
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
