import { Button, Group, Select, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { CsvButton } from '../../components/list/csv-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SearchField } from '../../components/url-state/search-field.tsx'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { paymentsRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { EnterPaymentDialog } from './enter-payment-dialog.tsx'
import { PaymentTable } from './payment-table.tsx'
import { paymentsCsv } from './payments-csv.ts'
import { type Filters, PAYMENTS_PARAMETERS, paymentsQuery } from './payments-query.ts'

const STATUSES: { value: Filters['status']; label: string }[] = [
  { value: 'pending', label: 'Pending' },
  { value: 'mined', label: 'Paid' },
  { value: 'failed', label: 'Failed' },
]

/** The page of an app's payments and their status. */
export function PaymentsPage() {
  const { id: appId } = useApp()
  const [filters, setFilters] = useUrlState(PAYMENTS_PARAMETERS)
  const isFiltered = filters.status !== '' || filters.search !== ''
  const mayEnter = useAllowed('enterPayment')
  const [isEntering, { open, close }] = useDisclosure()
  const query = useInfiniteQuery(paymentsQuery(appId, filters))
  const payments = query.data?.pages.flat() ?? []
  // An empty list has the button in its middle.
  const isEmpty = query.isSuccess && payments.length === 0 && !isFiltered
  const enterButton = mayEnter && <Button onClick={open}>Enter a payment</Button>
  const buttons = (
    <Group>
      <CsvButton file={paymentsCsv(appId, filters)} />
      {enterButton}
    </Group>
  )
  return (
    <>
      <PageTitle
        title="Payments"
        about="Payments to your app, and their status on the chain."
        action={!isEmpty && buttons}
      />
      <Stack>
        <FilterFields filters={filters} onChange={setFilters} />
        <Loaded query={query}>
          {() =>
            payments.length > 0 ? (
              <PaymentTable payments={payments} />
            ) : (
              <NoPayments isFiltered={isFiltered} action={!isFiltered && enterButton} />
            )
          }
        </Loaded>
        <MoreButton query={query} />
      </Stack>
      <ApiPanel
        about="This request lists the newest payments to your app."
        query={paymentsRequest(appId)}
      />
      <EnterPaymentDialog isOpen={isEntering} onClose={close} />
    </>
  )
}

type FilterFieldsProps = {
  filters: Filters
  onChange(filters: Partial<Filters>, options?: { isStep: boolean }): void
}

function FilterFields({ filters: { search, status }, onChange }: FilterFieldsProps) {
  return (
    <Group align="flex-end">
      <SearchField
        description="The beginning of a reference or of a transaction hash."
        w={300}
        search={search}
        onSearch={(text) => onChange({ search: text })}
      />
      <Select
        label="Status"
        w={160}
        placeholder="All"
        clearable
        clearButtonProps={{ 'aria-label': 'Show payments of every status' }}
        data={STATUSES}
        value={status || null}
        onChange={(value) => onChange({ status: value ?? '' }, { isStep: true })}
      />
    </Group>
  )
}

function NoPayments({ isFiltered, action }: { isFiltered: boolean; action: ReactNode }) {
  return (
    <EmptyState
      icon={Wallet}
      title={isFiltered ? 'No payment matches' : 'No payment yet'}
      text={
        isFiltered
          ? 'Change the search or the status.'
          : 'Your server can enter each payment with its API key.'
      }
      action={action}
    />
  )
}
