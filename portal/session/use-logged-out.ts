import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { PAGE_PATHS } from '../settings/page-paths.ts'

/**
 * What follows once a login was ended on purpose: the way leads to logging in, and what was read is forgotten. Whoever
 * logs in next comes to the page `next`, or else to their own first one.
 */
export function useLoggedOut(): (next?: string) => Promise<void> {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async (next) => {
    const search = next === undefined ? '' : `?${new URLSearchParams({ next })}`
    await navigate(PAGE_PATHS.logIn + search)
    queryClient.clear()
  }
}
