import { Select, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LoadFailure } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { AuditDocument, type AuditQuery } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { useTeam } from '../../team/current-team.tsx'
import { RequirePermission } from '../../team/require-permission.tsx'
import { AuditChanges } from './audit-changes.tsx'
import { useActorNames } from './use-actor-names.ts'

const PAGE_ROWS = 50

type Entry = AuditQuery['audit'][number]

/** The page that lists changes to the team. */
export function AuditPage() {
  return (
    <RequirePermission permission="readAudit" title="Audit">
      <AuditContent />
    </RequirePermission>
  )
}

function AuditContent() {
  const [subject, setSubject] = useState<string | null>(null)
  const query = useAudit(subject)
  const { error, isPending, refetch } = query
  const entries = query.data?.pages.flat() ?? []
  return (
    <>
      <PageTitle
        title="Audit"
        about="Changes to keys, secrets, members, invites and redirect URIs, and to the settings that decide who can verify."
      />
      <Stack>
        <Select
          label="Show"
          w={220}
          placeholder="Everything"
          clearable
          clearButtonProps={{ 'aria-label': 'Show everything' }}
          data={SUBJECTS}
          value={subject}
          onChange={setSubject}
        />
        {error && <LoadFailure error={error} onRetry={refetch} />}
        {entries.length > 0 && <AuditTable entries={entries} />}
        {!(error || isPending) && entries.length === 0 && (
          <EmptyState
            icon={History}
            title="No changes yet"
            text="Changes to your team and its apps are listed here."
          />
        )}
        <MoreButton query={query} />
      </Stack>
    </>
  )
}

const SUBJECTS = [
  { value: 'app', label: 'Apps' },
  { value: 'action', label: 'Actions' },
  { value: 'api_key', label: 'API keys' },
  { value: 'membership', label: 'Members' },
  { value: 'invite', label: 'Invites' },
  { value: 'redirect', label: 'Redirect URIs' },
  { value: 'request_key', label: 'Request signing keys' },
  { value: 'sign_in_client', label: 'Sign-in secrets' },
  { value: 'team', label: 'The team' },
  { value: 'person', label: 'Deleted people' },
  { value: 'export', label: 'Exports' },
  { value: 'import', label: 'Imports' },
]

/**
 * Reads the changes in pages. Each page begins after the last change of the page before (keyset pagination). So the last
 * page loads as fast as the first.
 */
function useAudit(subject: string | null) {
  const { id: team_id } = useTeam()
  return useInfiniteQuery({
    queryKey: ['audit', team_id, subject],
    initialPageParam: null,
    queryFn: async ({ pageParam: last }: { pageParam: Entry | null }) => {
      const where = {
        team_id: { _eq: team_id },
        ...(subject !== null && { subject: { _eq: subject } }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [{ created_at: { _lt: last.created_at } }, { id: { _lt: last.id } }],
        }),
      }
      return (await request(AuditDocument, { where, limit: PAGE_ROWS })).audit
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

function AuditTable({ entries }: { entries: readonly Entry[] }) {
  const names = useActorNames()
  const columns: Column<Entry>[] = [
    { title: 'When', cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      title: 'Who',
      cell: ({ actor_id, actor_role }) => (
        <NameWithId
          name={names.get(actor_id ?? '') ?? ACTORS[actor_role] ?? actor_role}
          id={actor_id}
        />
      ),
    },
    {
      title: 'What',
      cell: ({ subject, operation, subject_id }) => (
        <NameWithId
          name={`${subject.replaceAll('_', ' ')} ${OPERATIONS[operation]}`}
          id={subject_id}
        />
      ),
    },
    { title: 'Changes', cell: ({ changes }) => <AuditChanges changes={changes} /> },
  ]
  return <DataTable rows={entries} rowKey={({ id }) => id} columns={columns} minWidth={640} />
}

/** A name with its id below, since names are not unique. */
function NameWithId({ name, id }: { name: string; id: string | null }) {
  return (
    <>
      <Text size="sm">{name}</Text>
      <Text size="xs" c="dimmed">
        {id}
      </Text>
    </>
  )
}

const ACTORS: Readonly<Record<string, string>> = {
  user: 'A user',
  api_key: 'An API key',
  service: 'The platform',
  admin: 'The operator',
  reviewer: 'The operator',
  database: 'The operator',
}

const OPERATIONS: Readonly<Record<string, string>> = {
  insert: 'created',
  update: 'changed',
  delete: 'deleted',
}
