import { Button, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LoadFailure } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { PaymentsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { paymentsRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { EnterPaymentDialog } from './enter-payment-dialog.tsx'
import { type Payment, PaymentTable } from './payment-table.tsx'

const PAGE_ROWS = 50
const TYPING_MS = 250
/** How often the list is refreshed while a payment in it is not final. */
const PENDING_MS = 5_000

/** The page of an app's payments and their status. */
export function PaymentsPage() {
  const { id: appId } = useApp()
  const [search, setSearch] = useState('')
  const [reference] = useDebouncedValue(search.trim(), TYPING_MS)
  const mayEnter = useAllowed('enterPayment')
  const [isEntering, { open, close }] = useDisclosure()
  const query = usePayments(reference)
  const payments = query.data?.pages.flat() ?? []
  // An empty list has the button in its middle.
  const isEmpty = query.isSuccess && payments.length === 0 && !reference
  const enterButton = mayEnter && <Button onClick={open}>Enter a payment</Button>
  return (
    <>
      <PageTitle
        title="Payments"
        about="Payments to your app, and their status on the chain."
        action={!isEmpty && enterButton}
      />
      <Stack>
        <TextInput
          label="Search"
          description="The whole reference of a payment."
          maw={420}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {query.error && <LoadFailure error={query.error} onRetry={query.refetch} />}
        {payments.length > 0 && <PaymentTable payments={payments} />}
        {query.isSuccess && payments.length === 0 && (
          <EmptyState
            icon={Wallet}
            title={reference ? 'No payment has this reference' : 'No payment yet'}
            text="Your server can enter each payment with its API key."
            action={!reference && enterButton}
          />
        )}
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

function usePayments(reference: string) {
  const { id: app_id } = useApp()
  return useInfiniteQuery({
    queryKey: ['payments', app_id, reference],
    initialPageParam: null,
    queryFn: async ({ pageParam: last }: { pageParam: Payment | null }) => {
      const where = {
        ...(reference && { reference: { _eq: reference } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [{ created_at: { _lt: last.created_at } }, { id: { _lt: last.id } }],
        }),
      }
      return (await request(PaymentsDocument, { app_id, where, limit: PAGE_ROWS })).transaction
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
    refetchInterval: ({ state }) =>
      state.data?.pages.flat().some((payment) => !payment.is_final) ? PENDING_MS : false,
  })
}
