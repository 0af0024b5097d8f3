import { Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { InviteForm } from './invite-form.tsx'
import { InviteTable } from './invite-table.tsx'
import { MemberTable } from './member-table.tsx'
import { membersQuery } from './members-query.ts'

export function MembersPage() {
  const { id: team_id } = useTeam()
  const mayInvite = useAllowed('invite')
  const query = useQuery(membersQuery(team_id))
  return (
    <>
      <PageTitle
        title="Members"
        about="Members can see this team’s apps. Their roles decide what they can change."
      />
      <Loaded query={query}>
        {({ membership: members, invite: invites }) => (
          <Stack gap="xl">
            <MemberTable members={members} />
            {mayInvite && <InviteForm />}
            {invites.length > 0 && (
              <section>
                <Title order={2} size="h4" mb="xs">
                  Invited
                </Title>
                <InviteTable invites={invites} />
              </section>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}
