import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { useParams } from 'react-router'
import { TeamDocument, type TeamQuery } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAccount } from '../session/account.tsx'
import { isAllowed, type Permission, type Role, roleNamed } from './permissions.ts'

/** A team as its pages know it, and what the person is in it. */
export type Team = Omit<NonNullable<TeamQuery['team_by_pk']>, 'memberships'> & { role: Role }

/** Reads the team of the address; null for one that the person is not in. */
export function useTeamQuery() {
  const { teamId = '' } = useParams()
  const { id: user_id } = useAccount()
  return useQuery({
    queryKey: ['team', teamId],
    queryFn: async (): Promise<Team | null> => {
      const { team_by_pk: found } = await request(TeamDocument, { team_id: teamId, user_id })
      if (!found) return null
      const { memberships, ...team } = found
      const role = roleNamed(memberships[0]?.role)
      return role && { ...team, role }
    },
  })
}

const TeamContext = createContext<Team | null>(null)

/** Tells the components inside whose pages they are. */
export function TeamProvider({ team, children }: { team: Team; children: ReactNode }) {
  return <TeamContext value={team}>{children}</TeamContext>
}

/** The team whose page this is. */
export function useTeam(): Team {
  const team = useContext(TeamContext)
  if (!team) throw new Error('useTeam must be used inside TeamProvider')
  return team
}

/** Whether the person may do something in this team. */
export function useAllowed(permission: Permission): boolean {
  return isAllowed(useTeam().role, permission)
}
