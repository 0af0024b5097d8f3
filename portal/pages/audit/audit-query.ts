import { infiniteQueryOptions } from '@tanstack/react-query'
import { anyText, type UrlState } from '../../components/url-state/url-parameters.ts'
import { AuditDocument, type AuditQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

export type Entry = AuditQuery['audit'][number]

/** The parameters of the page's address. An empty text is no filter. The days are those of the user's time zone. */
export const AUDIT_PARAMETERS = {
  /** The id of a user or key, or one of the names below. */
  person: anyText,
  subject: anyText,
  from: parseDay,
  to: parseDay,
}

export type Filters = UrlState<typeof AUDIT_PARAMETERS>

function parseDay(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''
}

const PAGE_ROWS = 50

/** Reads the changes to a team in pages, newest first. */
export function auditQuery(team_id: string, filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ['audit', team_id, filters],
    initialPageParam: null,
    queryFn: ({ pageParam: last, signal }: PageRequest) =>
      readAudit({ team_id, filters, last, limit: PAGE_ROWS, signal }),
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

type PageRequest = { pageParam: Entry | null; signal: AbortSignal }

type PageOfAudit = {
  team_id: string
  filters: Filters
  last: Entry | null
  limit: number
  signal?: AbortSignal
}

/** Reads the changes that follow `last` in the list; the newest changes if `last` is null. */
export async function readAudit({
  team_id,
  filters,
  last,
  limit,
  signal,
}: PageOfAudit): Promise<Entry[]> {
  const { person, subject, from, to } = filters
  const where = {
    team_id: { _eq: team_id },
    ...(subject && { subject: { _eq: subject } }),
    _and: [
      ...(person ? [wherePerson(person)] : []),
      ...(from ? [{ created_at: { _gte: beginOfDay(from, 0) } }] : []),
      ...(to ? [{ created_at: { _lt: beginOfDay(to, 1) } }] : []),
      ...(last
        ? [
            {
              created_at: { _lte: last.created_at },
              _or: [{ created_at: { _lt: last.created_at } }, { id: { _lt: last.id } }],
            },
          ]
        : []),
    ],
  }
  return (await request(AuditDocument, { where, limit }, signal)).audit
}

/** The roles of the operator, who has no name here. */
const OPERATOR_ROLES = ['admin', 'reviewer', 'database']

/** The values of the filter `person` that are no ids. */
export const PLATFORM = 'platform'
export const OPERATOR = 'operator'

function wherePerson(person: string) {
  if (person === PLATFORM) return { actor_role: { _eq: 'service' }, actor_id: { _is_null: true } }
  if (person === OPERATOR) return { actor_role: { _in: OPERATOR_ROLES } }
  return { actor_id: { _eq: person } }
}

/** Returns when a day begins in the user's time zone, or the day that many days later. */
function beginOfDay(date: string, daysLater: number): string {
  const time = new Date(`${date}T00:00`)
  time.setDate(time.getDate() + daysLater)
  return time.toISOString()
}
