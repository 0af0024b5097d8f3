import { useQuery } from '@tanstack/react-query'
import { MembershipsDocument } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAccount } from './account.tsx'

/** What TanStack Query keeps memberships under; the person's id follows. */
export const MEMBERSHIPS_KEY = ['memberships'] as const

/** The teams of the person who is logged in, the oldest membership first. */
export function useMemberships() {
  const { id: user_id, email_verified_at } = useAccount()
  return useQuery({
    queryKey: [...MEMBERSHIPS_KEY, user_id],
    queryFn: async () => (await request(MembershipsDocument, { user_id })).membership,
    // Whose address is not verified sees no team yet.
    enabled: email_verified_at !== null,
  })
}
