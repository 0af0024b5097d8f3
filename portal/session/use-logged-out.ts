import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { forgetUnsavedChanges } from './unsaved-changes.ts'

/**
 * Returns a function to call after a log-out. The function opens the log-in page, and clears the cache. The next log-in opens
 * the page `next`, or the start page.
 */
export function useLoggedOut(): (next?: string) => Promise<void> {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  return async (next) => {
    forgetUnsavedChanges()
    const search = next === undefined ? '' : `?${new URLSearchParams({ next })}`
    await navigate(PAGE_PATHS.logIn + search)
    queryClient.clear()
  }
}
