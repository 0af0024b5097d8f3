import { VisuallyHidden } from '@mantine/core'
import { Outlet, useNavigation } from 'react-router'

/** The parent of all pages. Shows a bar at the top of the window while the next page loads. */
export function Frame() {
  const isLoading = useNavigation().state !== 'idle'
  return (
    <>
      {isLoading && <div className="pending-bar" aria-hidden />}
      <VisuallyHidden role="status">{isLoading && 'Loading the page'}</VisuallyHidden>
      <Outlet />
    </>
  )
}
