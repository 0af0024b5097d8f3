import { Anchor, Badge, Button, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { generatePath, Link } from 'react-router'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { actionsRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { limitInWords } from '../action/limit-in-words.ts'
import { actionsQuery, type ListedAction } from './actions-query.ts'
import { CreateActionDialog } from './create-action-dialog.tsx'

const TYPING_MS = 250

export function ActionsPage() {
  const mayChange = useAllowed('changeAction')
  const [isCreating, setIsCreating] = useState(false)
  const [search, setSearch] = useState('')
  const [searchText] = useDebouncedValue(search.trim(), TYPING_MS)
  const { id: appId } = useApp()
  const query = useInfiniteQuery(actionsQuery(appId, searchText))
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
        <Loaded query={query}>
          {() =>
            actions.length > 0 ? (
              <ActionTable actions={actions} />
            ) : (
              <NoAction isSearch={searchText !== ''} createButton={createButton} />
            )
          }
        </Loaded>
        <MoreButton query={query} />
      </Stack>
      <ApiPanel about="This request lists your actions." query={actionsRequest(appId)} />
      <CreateActionDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}

function NoAction({ isSearch, createButton }: { isSearch: boolean; createButton: ReactNode }) {
  return isSearch ? (
    <EmptyState
      icon={CircleCheckBig}
      title="No action found"
      text="Search for a part of a name or an identifier."
    />
  ) : (
    <EmptyState
      icon={CircleCheckBig}
      title="No action yet"
      text="Create an action for people to verify for."
      action={createButton}
    />
  )
}

function ActionTable({ actions }: { actions: readonly ListedAction[] }) {
  return <DataTable rows={actions} rowKey={({ id }) => id} columns={COLUMNS} minWidth={520} />
}

const COLUMNS: readonly Column<ListedAction>[] = [
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

function ActionName({ action: { id, action, name } }: { action: ListedAction }) {
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
