import { queryOptions } from '@tanstack/react-query'
import { MembersDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

/** Reads the members and open invites of a team. */
export function membersQuery(team_id: string) {
  return queryOptions({
    queryKey: ['members', team_id],
    queryFn: ({ signal }) => request(MembersDocument, { team_id }, signal),
  })
}
