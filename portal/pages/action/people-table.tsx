import { Badge, Group, Stack, TextInput, Title } from '@mantine/core'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { UsersRound } from 'lucide-react'
import { useState } from 'react'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LoadFailure } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { useFollow } from '../../graphql/follow.ts'
import {
  NewPeopleDocument,
  PeopleDocument,
  type PeopleQuery,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { parseNullifier } from './parse-nullifier.ts'

const PAGE_ROWS = 50
/** Before anybody verified. */
const BEGINNING = '1970-01-01T00:00:00Z'

type Person = PeopleQuery['nullifier'][number]

/** Who verified for an action, the latest first; new ones appear as they verify. */
export function PeopleTable({ actionId }: { actionId: string }) {
  const [search, setSearch] = useState('')
  const wanted = search.trim() === '' ? undefined : parseNullifier(search)
  const query = usePeople(actionId, wanted ?? undefined)
  const people = query.data?.pages.flat() ?? []
  const [since, setSince] = useState<string | null>(null)
  // By the database's clock, since that of a browser may be wrong.
  if (since === null && wanted === undefined && query.isSuccess)
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
          wanted === null &&
          'This is not a nullifier. Enter 0x and hexadecimal digits, or a decimal number.'
        }
        maw={560}
      />
      {query.error && <LoadFailure error={query.error} onRetry={query.refetch} />}
      {people.length > 0 && <PeopleRows people={people} newHashes={newHashes} />}
      {query.isSuccess && people.length === 0 && (
        <EmptyState
          icon={UsersRound}
          title={wanted ? 'No person with this nullifier' : 'No verifications yet'}
          text={
            wanted
              ? 'A person has a different nullifier for each action. This one may belong to another action.'
              : 'People appear here as soon as they verify.'
          }
        />
      )}
      <MoreButton query={query} />
    </Stack>
  )
}

/** Reads by keyset, so that the last page of a million people comes as fast as the first. */
function usePeople(action_id: string, nullifierHash: string | undefined) {
  return useInfiniteQuery({
    queryKey: ['people', action_id, nullifierHash],
    initialPageParam: null,
    queryFn: async ({ pageParam: last }: { pageParam: Person | null }) => {
      const where = {
        action_id: { _eq: action_id },
        ...(nullifierHash && { nullifier_hash: { _eq: nullifierHash } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [
            { created_at: { _lt: last.created_at } },
            { nullifier_hash: { _lt: last.nullifier_hash } },
          ],
        }),
      }
      return (await request(PeopleDocument, { where, limit: PAGE_ROWS })).nullifier
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

/** Puts those who verify after a moment at the head of the list; returns their hashes. */
function useNewPeople(action_id: string, since: string | null): ReadonlySet<string> {
  const queryClient = useQueryClient()
  const [newHashes, setNewHashes] = useState<ReadonlySet<string>>(new Set())
  const variables = since === null ? null : { action_id, since }
  useFollow(NewPeopleDocument, variables, ({ nullifier_stream: arrived }) => {
    if (arrived.length === 0) return
    setNewHashes((before) => new Set([...before, ...hashesOf(arrived)]))
    queryClient.setQueryData<InfiniteData<Person[]>>(['people', action_id, undefined], (known) =>
      known ? { ...known, pages: withNew(known.pages, arrived) } : known,
    )
    void queryClient.invalidateQueries({ queryKey: ['action-stats', action_id] })
  })
  return newHashes
}

function withNew(pages: readonly Person[][], arrived: readonly Person[]): Person[][] {
  const known = new Set(hashesOf(pages.flat()))
  // A socket that connects again brings some of them twice.
  const added = arrived.filter(({ nullifier_hash }) => !known.has(nullifier_hash)).toReversed()
  const [first = [], ...others] = pages
  return [[...added, ...first], ...others]
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
          <Copyable text={nullifier_hash} what="nullifier" />
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
