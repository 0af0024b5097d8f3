import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { PageTitle } from '../../components/page-title.tsx'
import { showFailure } from '../../components/use-change.ts'
import { useAccount } from '../../session/account.tsx'
import { logOut } from '../../session/session.ts'
import { useLoggedOut } from '../../session/use-logged-out.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'

/** The page for an address that does not exist, or that this user may not see. Another account of the user may see it. */
export function NotFound() {
  const { email } = useAccount()
  const { pathname, search } = useLocation()
  const leave = useLoggedOut()
  const { mutate, isPending } = useMutation({
    mutationFn: logOut,
    onError: showFailure,
    onSuccess: () => leave(pathname + search),
  })
  return (
    <>
      <PageTitle title="Page not found" />
      <Stack align="flex-start">
        <Text>
          The page does not exist, or you are not in its team. You are logged in as {email}.
        </Text>
        <Button component={Link} to={PAGE_PATHS.home}>
          Go to your teams
        </Button>
        <Button variant="default" onClick={() => mutate()} loading={isPending}>
          Use another account
        </Button>
      </Stack>
    </>
  )
}
