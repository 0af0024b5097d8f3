import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { RequestLogDocument, type RequestLogQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

/** A row of the request log. */
export type RefusedRequest = RequestLogQuery['refused_request'][number]

/** The rows of the log that the page shows, as in its address. */
export type LogView = {
  /** Null for all codes. */
  code: string | null
  /** The last row of the page before; null for the first page. */
  before: Place | null
}

/** The place of a row in the log. */
export type Place = Pick<RefusedRequest, 'created_at' | 'id'>

const PAGE_ROWS = 50

/** How often the newest rows are read again. */
const REFRESH_MS = 5_000

/** Reads a page of an app's log, and all codes in the log. Reads the newest page again and again, while the tab is visible. */
export function requestLogQuery(app_id: string, { code, before }: LogView) {
  const where = {
    ...(code !== null && { code: { _eq: code } }),
    ...(before && {
      created_at: { _lte: before.created_at },
      _or: [{ created_at: { _lt: before.created_at } }, { id: { _lt: before.id } }],
    }),
  }
  return queryOptions({
    queryKey: ['request-log', app_id, code, before],
    queryFn: async ({ signal }) => {
      // The row after the page shows that there are older rows.
      const variables = { app_id, where, limit: PAGE_ROWS + 1 }
      const { refused_request: rows, codes } = await request(RequestLogDocument, variables, signal)
      return {
        rows: rows.slice(0, PAGE_ROWS),
        codes: codes.map((row) => row.code),
        last: rows.length > PAGE_ROWS ? (rows[PAGE_ROWS - 1] ?? null) : null,
      }
    },
    refetchInterval: before ? false : REFRESH_MS,
  })
}

const Address = z.object({
  code: z.string().min(1).nullable().catch(null),
  before: z.iso.datetime({ offset: true }).nullable().catch(null),
  id: z.string().min(1).nullable().catch(null),
})

/** Reads the view from the page's address. Ignores wrong values, because people change addresses by hand. */
export function readLogView(parameters: URLSearchParams): LogView {
  const { code, before, id } = Address.parse({
    code: parameters.get('code'),
    before: parameters.get('before'),
    id: parameters.get('id'),
  })
  return { code, before: before !== null && id !== null ? { created_at: before, id } : null }
}

/** Writes the view into the page's address. */
export function writeLogView({ code, before }: LogView): Record<string, string> {
  return {
    ...(code !== null && { code }),
    ...(before && { before: before.created_at, id: before.id }),
  }
}

const Reasons = z.array(z.string()).catch([])

/** Returns the codes of the proofs of a refused request. */
export function reasonsOf({ reasons }: RefusedRequest): string[] {
  return Reasons.parse(reasons)
}
