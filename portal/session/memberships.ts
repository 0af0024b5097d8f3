import { useQuery } from '@tanstack/react-query'
import { MembershipsDocument } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAccount } from './account.tsx'

/** The first part of TanStack Query's key for memberships. The second part is the user's id. */
export const MEMBERSHIPS_KEY = ['memberships'] as const

/** Reads the teams of the user, oldest membership first. */
export function useMemberships() {
  const { id: user_id, email_verified_at } = useAccount()
  return useQuery({
    queryKey: [...MEMBERSHIPS_KEY, user_id],
    queryFn: async () => (await request(MembershipsDocument, { user_id })).membership,
    // A user with an unverified address sees no team.
    enabled: email_verified_at !== null,
  })
}
