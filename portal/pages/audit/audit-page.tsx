import { Select, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTeam } from '../../team/current-team.tsx'
import { RequirePermission } from '../../team/require-permission.tsx'
import { AuditChanges } from './audit-changes.tsx'
import { auditQuery, type Entry } from './audit-query.ts'
import { useActorNames } from './use-actor-names.ts'

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
  const { id: team_id } = useTeam()
  const query = useInfiniteQuery(auditQuery(team_id, subject))
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
        <Loaded query={query}>
          {({ pages: [first = [], ...more] }) =>
            first.length > 0 ? (
              <AuditTable entries={[first, ...more].flat()} />
            ) : (
              <EmptyState
                icon={History}
                title="No changes yet"
                text="Changes to your team and its apps are listed here."
              />
            )
          }
        </Loaded>
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
