import { Anchor, Badge, Button, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { useState } from 'react'
import { generatePath, Link } from 'react-router'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LoadFailure } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ActionsDocument, type ActionsQuery } from '../../graphql/generated/graphql.ts'
import { likePattern } from '../../graphql/like-pattern.ts'
import { request } from '../../graphql/request.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { actionsRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { limitInWords } from '../action/limit-in-words.ts'
import { CreateActionDialog } from './create-action-dialog.tsx'

const PAGE_ROWS = 50
const TYPING_MS = 250

type Action = ActionsQuery['action'][number]

export function ActionsPage() {
  const { id: appId } = useApp()
  const mayChange = useAllowed('changeAction')
  const [isCreating, setIsCreating] = useState(false)
  const [search, setSearch] = useState('')
  const [searchText] = useDebouncedValue(search.trim(), TYPING_MS)
  const query = useActions(searchText)
  const actions = query.data?.pages.flat() ?? []
  const isEmpty = query.isSuccess && actions.length === 0 && !searchText
  const createButton = mayChange && (
    <Button onClick={() => setIsCreating(true)}>Create an action</Button>
  )
  return (
    <>
      <PageTitle
        title="Actions"
        about="An action is something that a person does once, or as often as you allow: vote, join, claim."
        action={!isEmpty && createButton}
      />
      <Stack>
        {(actions.length > 0 || searchText) && (
          <TextInput
            label="Search"
            placeholder="Name or identifier"
            w={260}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
        )}
        {query.error && <LoadFailure error={query.error} onRetry={query.refetch} />}
        {actions.length > 0 && <ActionTable actions={actions} />}
        {query.isSuccess && actions.length === 0 && (
          <EmptyState
            icon={CircleCheckBig}
            title={searchText ? 'No action found' : 'No action yet'}
            text={
              searchText
                ? 'Search for a part of a name or an identifier.'
                : 'Create an action for people to verify for.'
            }
            action={!searchText && createButton}
          />
        )}
        <MoreButton query={query} />
      </Stack>
      <ApiPanel about="This request lists your actions." query={actionsRequest(appId)} />
      <CreateActionDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}

function useActions(search: string) {
  const { id: app_id } = useApp()
  return useInfiniteQuery({
    queryKey: ['actions', app_id, search],
    initialPageParam: null,
    queryFn: async ({ pageParam: last }: { pageParam: Action | null }) => {
      const pattern = { _ilike: likePattern(search) }
      const where = {
        ...(search && { _or: [{ name: pattern }, { action: pattern }] }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _not: { created_at: { _eq: last.created_at }, id: { _gte: last.id } },
        }),
      }
      return (await request(ActionsDocument, { app_id, where, limit: PAGE_ROWS })).action
    },
    getNextPageParam: (page) => (page.length < PAGE_ROWS ? undefined : page.at(-1)),
  })
}

function ActionTable({ actions }: { actions: readonly Action[] }) {
  return <DataTable rows={actions} rowKey={({ id }) => id} columns={COLUMNS} minWidth={520} />
}

const COLUMNS: readonly Column<Action>[] = [
  { title: 'Action', cell: (action) => <ActionName action={action} /> },
  { title: 'Limit per person', cell: ({ max_verifications }) => limitInWords(max_verifications) },
  {
    title: 'Status',
    cell: ({ status }) => (
      <Badge variant="light" color={status === 'active' ? 'teal' : 'gray'}>
        {status === 'active' ? 'Active' : 'Inactive'}
      </Badge>
    ),
  },
]

function ActionName({ action: { id, action, name } }: { action: Action }) {
  const { id: appId, team_id: teamId } = useApp()
  return (
    <>
      <Anchor
        component={Link}
        to={generatePath(PAGE_PATHS.action, { teamId, appId, actionId: id })}
      >
        {name || action}
      </Anchor>
      <Text size="sm" c="dimmed">
        {action}
      </Text>
    </>
  )
}
