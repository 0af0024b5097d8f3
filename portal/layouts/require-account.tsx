import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation } from 'react-router'
import { LeaveQuestion } from '../components/leave-question.tsx'
import { LoadFailure } from '../components/loaded.tsx'
import { isSessionOver } from '../graphql/request-error.ts'
import { AccountProvider, accountQuery } from '../session/account.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { FirstLoad } from './first-load.tsx'
import { SessionOverDialog } from './session-over-dialog.tsx'

/** The parent of all pages that need a login. Sends a user without a login to the log-in page, and back afterwards. */
export function RequireAccount() {
  const { data: account, error, isFetching, refetch } = useQuery(accountQuery)
  const { pathname, search } = useLocation()
  if (!account && isFetching) return <FirstLoad />
  if (account)
    return (
      <AccountProvider account={account}>
        <Outlet />
        <LeaveQuestion />
        <SessionOverDialog email={account.email} />
      </AccountProvider>
    )
  if (error && !isSessionOver(error)) return <LoadFailure error={error} onRetry={refetch} />
  const next = new URLSearchParams({ next: pathname + search })
  return <Navigate to={`${PAGE_PATHS.logIn}?${next}`} replace />
}
