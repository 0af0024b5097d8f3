import { Anchor, Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { generatePath, Link } from 'react-router'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SearchField } from '../../components/url-state/search-field.tsx'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { actionsRequest } from '../../team/api-requests.ts'
import { useApp } from '../../team/current-app.tsx'
import { useAllowed } from '../../team/current-team.tsx'
import { limitInWords } from '../action/limit-in-words.ts'
import {
  ACTIONS_PARAMETERS,
  type ActionsFilter,
  actionsQuery,
  type ListedAction,
} from './actions-query.ts'
import { CreateActionDialog } from './create-action-dialog.tsx'

const STATUSES: { value: ActionsFilter['status']; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
]

export function ActionsPage() {
  const mayChange = useAllowed('changeAction')
  const [isCreating, setIsCreating] = useState(false)
  const [filter, setFilter] = useUrlState(ACTIONS_PARAMETERS)
  const isFiltered = filter.search !== '' || filter.status !== 'all'
  const { id: appId } = useApp()
  const query = useInfiniteQuery(actionsQuery(appId, filter))
  const actions = query.data?.pages.flat() ?? []
  const isEmpty = query.isSuccess && actions.length === 0 && !isFiltered
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
        {(actions.length > 0 || isFiltered) && (
          <ActionsFilterFields filter={filter} onChange={setFilter} />
        )}
        <Loaded query={query}>
          {() =>
            actions.length > 0 ? (
              <ActionTable actions={actions} />
            ) : (
              <NoAction isSearch={isFiltered} createButton={createButton} />
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

type ActionsFilterFieldsProps = {
  filter: ActionsFilter
  onChange(changes: Partial<ActionsFilter>): void
}

function ActionsFilterFields({ filter, onChange }: ActionsFilterFieldsProps) {
  return (
    <Group align="flex-end">
      <SearchField
        label="Search"
        placeholder="Name or identifier"
        w={260}
        search={filter.search}
        onSearch={(search) => onChange({ search })}
      />
      <SegmentedControl
        aria-label="Status"
        data={STATUSES}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
    </Group>
  )
}

function NoAction({ isSearch, createButton }: { isSearch: boolean; createButton: ReactNode }) {
  return isSearch ? (
    <EmptyState
      icon={CircleCheckBig}
      title="No action found"
      text="Search for a part of a name or an identifier, or show all actions."
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
