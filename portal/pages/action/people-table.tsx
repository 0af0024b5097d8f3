import { Badge, Group, Stack, TextInput, Title } from '@mantine/core'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useState } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { NewPeopleDocument } from '../../graphql/generated/graphql.ts'
import { useSubscription } from '../../graphql/use-subscription.ts'
import { type Person, peopleQuery } from './action.ts'
import { parseNullifier } from './parse-nullifier.ts'

/** A time before all verifications. */
const BEGINNING = '1970-01-01T00:00:00Z'

/** Lists the people who verified for an action, newest first. New people appear as they verify. */
export function PeopleTable({ actionId }: { actionId: string }) {
  const [search, setSearch] = useState('')
  const nullifier = search.trim() === '' ? undefined : parseNullifier(search)
  const query = useInfiniteQuery(peopleQuery(actionId, nullifier ?? undefined))
  const people = query.data?.pages.flat() ?? []
  const [since, setSince] = useState<string | null>(null)
  // The time comes from the database, because the browser's clock may be wrong.
  if (since === null && nullifier === undefined && query.isSuccess)
    setSince(people[0]?.created_at ?? BEGINNING)
  const newHashes = useNewPeople(actionId, since)
  return (
    <Stack component="section" aria-label="People">
      <Title order={2} size="h4">
        People
      </Title>
      <TextInput
        label="Search"
        description="The whole nullifier of a person, in hexadecimal or decimal digits."
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        error={
          nullifier === null &&
          'This is not a nullifier. Enter 0x and hexadecimal digits, or a decimal number.'
        }
        maw={560}
      />
      <Loaded query={query}>
        {() =>
          people.length > 0 ? (
            <PeopleRows people={people} newHashes={newHashes} />
          ) : (
            <EmptyState
              icon={UsersRound}
              title={nullifier ? 'No person with this nullifier' : 'No verifications yet'}
              text={
                nullifier
                  ? 'A person has a different nullifier for each action. This nullifier may belong to another action.'
                  : 'People appear here as soon as they verify.'
              }
            />
          )
        }
      </Loaded>
      <MoreButton query={query} />
    </Stack>
  )
}

/** Adds people who verify after `since` to the top of the list. Returns their nullifiers. */
function useNewPeople(action_id: string, since: string | null): ReadonlySet<string> {
  const queryClient = useQueryClient()
  const [newHashes, setNewHashes] = useState<ReadonlySet<string>>(new Set())
  const variables = since === null ? null : { action_id, since }
  useSubscription(NewPeopleDocument, variables, ({ nullifier_stream: newPeople }) => {
    if (newPeople.length === 0) return
    setNewHashes((before) => new Set([...before, ...hashesOf(newPeople)]))
    queryClient.setQueryData<InfiniteData<Person[]>>(['people', action_id, undefined], (list) =>
      list ? { ...list, pages: prependNew(list.pages, newPeople) } : list,
    )
    void queryClient.invalidateQueries({ queryKey: ['action-stats', action_id] })
  })
  return newHashes
}

function prependNew(pages: readonly Person[][], newPeople: readonly Person[]): Person[][] {
  const hashes = new Set(hashesOf(pages.flat()))
  // After a reconnect, the subscription sends some people again.
  const addedPeople = newPeople
    .filter(({ nullifier_hash }) => !hashes.has(nullifier_hash))
    .toReversed()
  const [first = [], ...olderPages] = pages
  return [[...addedPeople, ...first], ...olderPages]
}

function hashesOf(people: readonly Person[]): string[] {
  return people.map(({ nullifier_hash }) => nullifier_hash)
}

type PeopleRowsProps = { people: readonly Person[]; newHashes: ReadonlySet<string> }

function PeopleRows({ people, newHashes }: PeopleRowsProps) {
  const columns: Column<Person>[] = [
    {
      title: 'Person',
      cell: ({ nullifier_hash }) => (
        <Group gap="xs" wrap="nowrap">
          <Copyable text={nullifier_hash} label="nullifier" />
          {newHashes.has(nullifier_hash) && <Badge variant="light">New</Badge>}
        </Group>
      ),
    },
    { title: 'Verifications', cell: ({ uses }) => uses },
    { title: 'First verified', cell: ({ created_at }) => <Moment at={created_at} /> },
  ]
  return (
    <DataTable
      rows={people}
      rowKey={({ nullifier_hash }) => nullifier_hash}
      columns={columns}
      minWidth={640}
      spacing="xs"
      isLive
    />
  )
}
