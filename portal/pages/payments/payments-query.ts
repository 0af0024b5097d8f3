import { infiniteQueryOptions } from '@tanstack/react-query'
import { PaymentsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import type { Payment } from './payment-table.tsx'

const PAGE_ROWS = 50
/** How often the list is refreshed while a payment in it is not final. */
const PENDING_MS = 5_000

/** Reads the payments of an app in pages, newest first; only the payment with this reference, if it is not empty. */
export function paymentsQuery(app_id: string, reference: string) {
  return infiniteQueryOptions({
    queryKey: ['payments', app_id, reference],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const where = {
        ...(reference && { reference: { _eq: reference } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [{ created_at: { _lt: last.created_at } }, { id: { _lt: last.id } }],
        }),
      }
      const { transaction } = await request(
        PaymentsDocument,
        { app_id, where, limit: PAGE_ROWS },
        signal,
      )
      return transaction
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
    refetchInterval: ({ state }) =>
      state.data?.pages.flat().some((payment) => !payment.is_final) ? PENDING_MS : false,
  })
}

type PageRequest = { pageParam: Payment | null; signal: AbortSignal }
