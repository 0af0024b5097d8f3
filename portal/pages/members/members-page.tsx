import { Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SearchField } from '../../components/url-state/search-field.tsx'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { InviteForm } from './invite-form.tsx'
import { InviteTable } from './invite-table.tsx'
import { MemberTable } from './member-table.tsx'
import { invitesQuery, MEMBERS_PARAMETERS, membersQuery } from './members-query.ts'

/** With fewer members, a search is of no use. */
const MIN_SEARCHABLE = 10

/** The page of the members and invites of a team. */
export function MembersPage() {
  const { id: teamId } = useTeam()
  const mayInvite = useAllowed('invite')
  return (
    <>
      <PageTitle
        title="Members"
        about="Members can see this team’s apps. Their roles decide what they can change."
      />
      <Members teamId={teamId}>
        {mayInvite && <InviteForm />}
        <Invites teamId={teamId} />
      </Members>
    </>
  )
}

/** The list of members, and below it the children once the list is there, so that they do not move. */
function Members({ teamId, children }: { teamId: string; children: ReactNode }) {
  const [filters, setFilters] = useUrlState(MEMBERS_PARAMETERS)
  const { search } = filters
  const query = useInfiniteQuery(membersQuery(teamId, filters))
  const members = query.data?.pages.flat() ?? []
  return (
    <Stack gap="xl">
      <Stack>
        {(search !== '' || members.length >= MIN_SEARCHABLE) && (
          <SearchField
            description="A part of a name or an address."
            w={300}
            search={search}
            onSearch={(text) => setFilters({ search: text })}
          />
        )}
        <Loaded query={query}>
          {() =>
            members.length > 0 ? (
              <MemberTable members={members} />
            ) : (
              <Text c="dimmed">No member matches.</Text>
            )
          }
        </Loaded>
        <MoreButton query={query} />
      </Stack>
      {(query.data || search !== '') && children}
    </Stack>
  )
}

function Invites({ teamId }: { teamId: string }) {
  const query = useQuery(invitesQuery(teamId))
  return (
    <Loaded query={query}>
      {(invites) =>
        invites.length > 0 && (
          <section>
            <Title order={2} size="h4" mb="xs">
              Invited
            </Title>
            <InviteTable invites={invites} />
          </section>
        )
      }
    </Loaded>
  )
}
