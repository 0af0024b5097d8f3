import { Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { SearchField } from '../../components/list/search-field.tsx'
import { useFilters } from '../../components/list/use-filters.ts'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { InviteForm } from './invite-form.tsx'
import { InviteTable } from './invite-table.tsx'
import { MemberTable } from './member-table.tsx'
import { invitesQuery, memberFilters, membersQuery } from './members-query.ts'

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
  const [filters, setFilters] = useFilters(memberFilters)
  const { search } = filters
  const query = useInfiniteQuery(membersQuery(teamId, filters))
  const members = query.data?.pages.flat() ?? []
  return (
    <Stack gap="xl">
      <Stack>
        {(search !== '' || members.length >= MIN_SEARCHABLE) && (
          <SearchField
            description="A part of a name or an address."
            value={search}
            onSearch={(text) => setFilters({ search: text }, { isTyping: true })}
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
