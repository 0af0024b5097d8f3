import { useQuery } from '@tanstack/react-query'
import { MembershipsDocument } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAccount } from './account.tsx'

/** The teams of the person who is logged in, the oldest membership first. */
export function useMemberships() {
  const { id: user_id, email_verified_at } = useAccount()
  return useQuery({
    queryKey: ['memberships', user_id],
    queryFn: async () => (await request(MembershipsDocument, { user_id })).membership,
    // Whose address is not verified sees no team yet.
    enabled: email_verified_at !== null,
  })
}
