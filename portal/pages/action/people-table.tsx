import { Button, Group, Stack, Title, VisuallyHidden } from '@mantine/core'
import { useThrottledValue } from '@mantine/hooks'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { CsvButton } from '../../components/list/csv-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { SearchField } from '../../components/url-state/search-field.tsx'
import { anyText } from '../../components/url-state/url-parameters.ts'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { peopleQuery } from './action.ts'
import { type NullifierSearch, parseNullifierSearch } from './parse-nullifier.ts'
import { peopleCsv } from './people-csv.ts'
import { PeopleRows } from './people-rows.tsx'
import { beginsWithNewest, type NewPeople, useNewPeople } from './use-new-people.ts'

const SEARCH = { search: anyText }

/** The shortest time between two announcements of new people for screen readers. */
const ANNOUNCEMENT_MS = 10_000

/** Lists the people who verified for an action, newest first. New people appear as they verify. */
export function PeopleTable({ actionId }: { actionId: string }) {
  const [{ search }, setState] = useUrlState(SEARCH)
  const nullifier = search === '' ? undefined : parseNullifierSearch(search)
  const query = useInfiniteQuery(peopleQuery(actionId, nullifier ?? undefined))
  const people = query.data?.pages.flat() ?? []
  const newPeople = useNewPeople(actionId, nullifier === undefined ? query.data : undefined)
  return (
    <Stack component="section" aria-label="People">
      <Group justify="space-between">
        <Title order={2} size="h4">
          People
        </Title>
        <CsvButton file={peopleCsv(actionId, nullifier ?? null)} />
      </Group>
      <SearchField
        label="Search"
        description="The nullifier of a person or its beginning, such as 0x0911, or all its decimal digits."
        search={search}
        onSearch={(text) => setState({ search: text })}
        error={
          nullifier === null &&
          'This is not a nullifier. Enter 0x and hexadecimal digits, or a decimal number.'
        }
        maw={560}
      />
      <Announcement newPeople={newPeople} />
      {query.data && !beginsWithNewest(query.data) && <NewestButton actionId={actionId} />}
      <Loaded query={query}>
        {() =>
          people.length > 0 ? (
            <PeopleRows people={people} newHashes={newPeople.hashes} />
          ) : (
            <EmptyState
              icon={UsersRound}
              title={nullifier ? titleWithoutPeople(nullifier) : 'No verifications yet'}
              text={
                nullifier
                  ? 'A person has a different nullifier for each action. This nullifier may belong to another action.'
                  : 'People appear here as soon as they verify.'
              }
            />
          )
        }
      </Loaded>
      <MoreButton query={query} label="Show earlier people" />
    </Stack>
  )
}

function titleWithoutPeople({ prefix }: NullifierSearch): string {
  return prefix === null ? 'No person with this nullifier' : 'No nullifier begins with this'
}

/** Tells screen readers how many people are new, not who they are. */
function Announcement({ newPeople }: { newPeople: NewPeople }) {
  return (
    <VisuallyHidden role="status">
      {useThrottledValue(announcementOf(newPeople), ANNOUNCEMENT_MS)}
    </VisuallyHidden>
  )
}

function announcementOf({ count, isMore }: NewPeople): string {
  if (count === 0) return ''
  if (isMore) return `More than ${count.toLocaleString('en')} new people`
  return count === 1 ? '1 new person' : `${count.toLocaleString('en')} new people`
}

/** Leads from earlier people back to the newest people, which the list has dropped. */
function NewestButton({ actionId }: { actionId: string }) {
  const queryClient = useQueryClient()
  const { queryKey } = peopleQuery(actionId)
  return (
    <Group>
      <Button variant="default" onClick={() => queryClient.resetQueries({ queryKey, exact: true })}>
        Back to the newest people
      </Button>
    </Group>
  )
}
