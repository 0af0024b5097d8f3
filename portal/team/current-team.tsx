import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { useParams } from 'react-router'
import { TeamDocument, type TeamQuery } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAccount } from '../session/account.tsx'
import { isAllowed, type Permission, parseRole, type Role } from './permissions.ts'

/** A team with the fields that its pages read, and the user's role in it. */
export type Team = Omit<NonNullable<TeamQuery['team_by_pk']>, 'memberships'> & { role: Role }

/** Reads the team that the page's address names; null if the user is not a member. */
export function useTeamQuery() {
  const { teamId = '' } = useParams()
  const { id: user_id } = useAccount()
  return useQuery({
    queryKey: ['team', teamId],
    queryFn: async (): Promise<Team | null> => {
      const { team_by_pk: row } = await request(TeamDocument, { team_id: teamId, user_id })
      if (!row) return null
      const { memberships, ...team } = row
      const role = parseRole(memberships[0]?.role)
      return role && { ...team, role }
    },
  })
}

const TeamContext = createContext<Team | null>(null)

/** Provides the team to the components inside. */
export function TeamProvider({ team, children }: { team: Team; children: ReactNode }) {
  return <TeamContext value={team}>{children}</TeamContext>
}

/** Returns the team of this page. */
export function useTeam(): Team {
  const team = useContext(TeamContext)
  if (!team) throw new Error('useTeam must be used inside TeamProvider')
  return team
}

/** Returns whether the user has a permission in this team. */
export function useAllowed(permission: Permission): boolean {
  return isAllowed(useTeam().role, permission)
}
