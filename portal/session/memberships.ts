import { queryOptions, useQuery } from '@tanstack/react-query'
import { MembershipsDocument } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAccount } from './account.tsx'

/** TanStack Query's key for the memberships. */
export const MEMBERSHIPS_KEY = ['memberships'] as const

/** Reads the teams of the user, oldest membership first. */
export const membershipsQuery = queryOptions({
  queryKey: MEMBERSHIPS_KEY,
  queryFn: async ({ signal }) =>
    (await request(MembershipsDocument, {}, signal)).login[0]?.user.memberships ?? [],
})

/**
 * Reads the teams of the user of this page. A user with an unverified address sees no team.
 *
 * @param isNeeded false as long as the page does not show the teams
 */
export function useMemberships(isNeeded = true) {
  const { email_verified_at } = useAccount()
  return useQuery({ ...membershipsQuery, enabled: isNeeded && email_verified_at !== null })
}
