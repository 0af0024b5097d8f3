import { infiniteQueryOptions } from '@tanstack/react-query'
import { anyText, oneOf, type UrlState } from '../../components/url-state/url-parameters.ts'
import { PaymentsDocument, type PaymentsQuery } from '../../graphql/generated/graphql.ts'
import { prefixPattern } from '../../graphql/like-pattern.ts'
import { request } from '../../graphql/request.ts'

export type Payment = PaymentsQuery['transaction'][number]

/** The parameters of the page's address. An empty text is no filter. */
export const PAYMENTS_PARAMETERS = {
  search: anyText,
  status: oneOf(['', 'pending', 'mined', 'failed']),
}

export type Filters = UrlState<typeof PAYMENTS_PARAMETERS>

const PAGE_ROWS = 50
/** How often the list is refreshed while a payment in it is not final. */
const PENDING_MS = 5_000

/** Reads the payments of an app in pages, newest first. */
export function paymentsQuery(app_id: string, filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ['payments', app_id, filters],
    initialPageParam: null,
    queryFn: ({ pageParam: last, signal }: PageRequest) =>
      readPayments({ app_id, filters, last, limit: PAGE_ROWS, signal }),
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
    refetchInterval: ({ state }) =>
      state.data?.pages.flat().some((payment) => !payment.is_final) ? PENDING_MS : false,
  })
}

type PageRequest = { pageParam: Payment | null; signal: AbortSignal }

type PageOfPayments = {
  app_id: string
  filters: Filters
  last: Payment | null
  limit: number
  signal?: AbortSignal
}

/** Reads the payments that follow `last` in the list; the first payments if `last` is null. */
export async function readPayments({
  app_id,
  filters: { status, search },
  last,
  limit,
  signal,
}: PageOfPayments) {
  const where = {
    ...(status && { transaction_status: { _eq: status } }),
    ...(search && {
      _and: [
        {
          _or: [
            { reference: { _ilike: prefixPattern(search) } },
            { transaction_hash: { _like: prefixPattern(search.toLowerCase()) } },
          ],
        },
      ],
    }),
    ...(last && {
      created_at: { _lte: last.created_at },
      _or: [{ created_at: { _lt: last.created_at } }, { id: { _lt: last.id } }],
    }),
  }
  return (await request(PaymentsDocument, { app_id, where, limit }, signal)).transaction
}
