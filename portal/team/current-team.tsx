import { queryOptions } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { TeamDocument, type TeamQuery } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { isAllowed, type Permission, parseRole, type Role } from './permissions.ts'

/** A team with the fields that its pages read, and the user's role in it. */
export type Team = NonNullable<TeamQuery['team_by_pk']> & { role: Role }

/** How often an open page reads the user's role again, since an owner may change the role. */
const ROLE_MS = 20_000

/** Reads a team with the user's role; null if the user is not a member. */
export function teamQuery(team_id: string) {
  return queryOptions({
    queryKey: ['team', team_id],
    queryFn: async ({ signal }): Promise<Team | null> => {
      const { team_by_pk: team, login } = await request(TeamDocument, { team_id }, signal)
      const role = parseRole(login[0]?.user.memberships[0]?.role)
      return team && role && { ...team, role }
    },
    // A role is also read again with each page, and when the user returns to the window.
    staleTime: 1_000,
    refetchInterval: ROLE_MS,
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
