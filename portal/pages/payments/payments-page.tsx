import { Button, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Wallet } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ApiPanel } from '../../team/api-panel.tsx'
import { paymentsRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { EnterPaymentDialog } from './enter-payment-dialog.tsx'
import { PaymentTable } from './payment-table.tsx'
import { paymentsQuery } from './payments-query.ts'

const TYPING_MS = 250

/** The page of an app's payments and their status. */
export function PaymentsPage() {
  const { id: appId } = useApp()
  const [search, setSearch] = useState('')
  const [reference] = useDebouncedValue(search.trim(), TYPING_MS)
  const mayEnter = useAllowed('enterPayment')
  const [isEntering, { open, close }] = useDisclosure()
  const { id: app_id } = useApp()
  const query = useInfiniteQuery(paymentsQuery(app_id, reference))
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
        <Loaded query={query}>
          {() =>
            payments.length > 0 ? (
              <PaymentTable payments={payments} />
            ) : (
              <NoPayment isSearch={reference !== ''} enterButton={enterButton} />
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

function NoPayment({ isSearch, enterButton }: { isSearch: boolean; enterButton: ReactNode }) {
  return (
    <EmptyState
      icon={Wallet}
      title={isSearch ? 'No payment has this reference' : 'No payment yet'}
      text="Your server can enter each payment with its API key."
      action={!isSearch && enterButton}
    />
  )
}
