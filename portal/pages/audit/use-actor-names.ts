import { useQuery } from '@tanstack/react-query'
import { AuditActorsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'

/** Returns the names of the team's members and keys by id. Does not contain former members. */
export function useActorNames(): ReadonlyMap<string, string> {
  const { id: team_id } = useTeam()
  const { data } = useQuery({
    queryKey: ['audit-actors', team_id],
    queryFn: ({ signal }) => request(AuditActorsDocument, { team_id }, signal),
  })
  const { membership: members = [], api_key: keys = [] } = data ?? {}
  return new Map([...members.map(({ user }) => user), ...keys].map(({ id, name }) => [id, name]))
}
