import { useQuery } from '@tanstack/react-query'
import { AuditActorsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'

/** What the members and keys of the team are called, by their ids. Who has left it since is not among them. */
export function useActorNames(): ReadonlyMap<string, string> {
  const { id: team_id } = useTeam()
  const { data } = useQuery({
    queryKey: ['audit-actors', team_id],
    queryFn: () => request(AuditActorsDocument, { team_id }),
  })
  const { membership: members = [], api_key: keys = [] } = data ?? {}
  return new Map([...members.map(({ user }) => user), ...keys].map(({ id, name }) => [id, name]))
}
