import { Alert, Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Building2, MailCheck } from 'lucide-react'
import { useState } from 'react'
import { generatePath, Link, Navigate } from 'react-router'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useChange } from '../../components/use-change.ts'
import { accountQuery, useAccount } from '../../session/account.tsx'
import { useMemberships } from '../../session/memberships.ts'
import { mailVerificationLink } from '../../session/session.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { settings } from '../../settings/settings.ts'

/** Redirects to the user's first team. Says what to do if the address is not verified, or the user has no team. */
export function HomePage() {
  const { email_verified_at: verifiedAt } = useAccount()
  const memberships = useMemberships()
  if (verifiedAt === null) return <VerifyFirst />
  return (
    <Loaded query={memberships}>
      {([first]) =>
        first ? (
          <Navigate to={generatePath(PAGE_PATHS.team, { teamId: first.team.id })} replace />
        ) : (
          <NoTeam />
        )
      }
    </Loaded>
  )
}

function VerifyFirst() {
  const { email } = useAccount()
  const { refetch, isFetching } = useQuery(accountQuery)
  const [isTooEarly, setIsTooEarly] = useState(false)
  const lookAgain = async () => {
    setIsTooEarly(false)
    const { data: account } = await refetch()
    setIsTooEarly(account?.email_verified_at === null)
  }
  const { mutate, isPending } = useChange(mailVerificationLink, { toast: 'Link sent.' })
  return (
    <>
      <PageTitle title="Verify your e-mail address" />
      <Alert icon={<MailCheck aria-hidden />} title={`We sent a link to ${email}`}>
        <Stack align="flex-start">
          <Text>
            Open it within 24 hours, then come back here.{' '}
            {settings.mailUrl !== '' && (
              <>
                This platform runs on your machine, and delivers no mail.{' '}
                <Anchor href={settings.mailUrl} target="_blank" rel="noopener">
                  Open the mail catcher
                </Anchor>
                .
              </>
            )}
          </Text>
          <Button onClick={lookAgain} loading={isFetching}>
            I have opened the link
          </Button>
          {isTooEarly && (
            <Text role="alert" fw={650}>
              Your address is not verified yet. Open the link in the mail, and press the button on
              its page.
            </Text>
          )}
          <Button variant="default" onClick={() => mutate(email)} loading={isPending}>
            Send the link again
          </Button>
        </Stack>
      </Alert>
    </>
  )
}

function NoTeam() {
  return (
    <>
      <PageTitle title="Teams" />
      <EmptyState
        icon={Building2}
        title="You are not in a team"
        text="A team manages apps. Create a team, or ask a colleague to invite you."
        action={
          <Button component={Link} to={PAGE_PATHS.newTeam}>
            Create a team
          </Button>
        }
      />
    </>
  )
}
