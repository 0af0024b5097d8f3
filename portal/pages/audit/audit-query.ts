import { infiniteQueryOptions } from '@tanstack/react-query'
import { AuditDocument, type AuditQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

const PAGE_ROWS = 50

export type Entry = AuditQuery['audit'][number]

/**
 * Reads the changes in pages. Each page begins after the last change of the page before (keyset pagination). So the last
 * page loads as fast as the first.
 */
export function auditQuery(team_id: string, subject: string | null) {
  return infiniteQueryOptions({
    queryKey: ['audit', team_id, subject],
    initialPageParam: null,
    queryFn: async ({
      pageParam: last,
      signal,
    }: {
      pageParam: Entry | null
      signal: AbortSignal
    }) => {
      const where = {
        team_id: { _eq: team_id },
        ...(subject !== null && { subject: { _eq: subject } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [{ created_at: { _lt: last.created_at } }, { id: { _lt: last.id } }],
        }),
      }
      return (await request(AuditDocument, { where, limit: PAGE_ROWS }, signal)).audit
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}
