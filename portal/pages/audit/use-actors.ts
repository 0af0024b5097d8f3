import { useQuery } from '@tanstack/react-query'
import { AuditActorsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'

/** Returns the team's members and keys, for a choice. Does not contain former members. */
export function useActors() {
  const { id: team_id } = useTeam()
  const { data } = useQuery({
    queryKey: ['audit-actors', team_id],
    queryFn: ({ signal }) => request(AuditActorsDocument, { team_id }, signal),
  })
  const { membership: members = [], api_key: keys = [] } = data ?? {}
  return { members: members.map(({ user }) => choiceOf(user)), keys: keys.map(choiceOf) }
}

function choiceOf({ id, name }: { id: string; name: string }) {
  return { value: id, label: name }
}
