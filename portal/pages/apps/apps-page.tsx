import { Anchor, Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Boxes } from 'lucide-react'
import { useState } from 'react'
import { generatePath, Link, useSearchParams } from 'react-router'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { PAGE_PATHS } from '../../settings/page-paths.ts'
import { appsQuery, type ListedApp } from '../../team/apps-query.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { EnvironmentBadge } from '../../team/environment-badge.tsx'
import { appsFilter } from './apps-filter.ts'

const TYPING_MS = 250

/** The page with all apps of a team. */
export function AppsPage() {
  const { id: teamId } = useTeam()
  const mayCreate = useAllowed('createApp')
  const [parameters] = useSearchParams()
  const { search, isArchived } = appsFilter(parameters)
  const [searchText] = useDebouncedValue(search, TYPING_MS)
  const query = useInfiniteQuery(appsQuery(teamId, searchText, isArchived))
  const apps = query.data?.pages.flat() ?? []
  const createButton = mayCreate && (
    <Button component={Link} to={generatePath(PAGE_PATHS.newApp, { teamId })}>
      Create an app
    </Button>
  )
  return (
    <>
      <PageTitle
        title="Apps"
        about="An app is your website or program where people verify."
        action={createButton}
      />
      <Stack>
        <Filters />
        <Loaded query={query}>
          {() =>
            apps.length > 0 ? (
              <AppTable apps={apps} />
            ) : (
              <EmptyState
                icon={Boxes}
                {...emptyWords({ search: searchText, isArchived })}
                action={searchText === '' && !isArchived && createButton}
              />
            )
          }
        </Loaded>
        <MoreButton query={query} />
      </Stack>
    </>
  )
}

/** The filters, which are also in the address. */
function Filters() {
  const [parameters, setParameters] = useSearchParams()
  const [text, setText] = useState(parameters.get('search') ?? '')
  const setFilter = (name: string, value: string) =>
    setParameters(withFilter(name, value), { replace: true, preventScrollReset: true })
  return (
    <Group align="flex-end">
      <TextInput
        label="Search"
        placeholder="Name"
        w={260}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          // The address changes with each letter. A later change would cancel a click on a link.
          setFilter('search', value)
        }}
      />
      <Select
        label="Show"
        w={200}
        data={SHOWN}
        allowDeselect={false}
        value={appsFilter(parameters).isArchived ? 'archived' : ''}
        onChange={(show) => setFilter('show', show ?? '')}
      />
    </Group>
  )
}

const SHOWN = [
  { value: '', label: 'Active apps' },
  { value: 'archived', label: 'Archived apps' },
]

function withFilter(name: string, value: string) {
  return (before: URLSearchParams) => {
    const parameters = new URLSearchParams(before)
    if (value === '') parameters.delete(name)
    else parameters.set(name, value)
    return parameters
  }
}

function emptyWords({ search, isArchived }: { search: string; isArchived: boolean }) {
  if (search !== '') return { title: 'No app found', text: 'Search for a part of a name.' }
  if (isArchived)
    return {
      title: 'No archived app',
      text: 'An archived app keeps its counts. An owner can restore it.',
    }
  return {
    title: 'No app yet',
    text: 'Start with a staging app: its people are simulated.',
  }
}

function AppTable({ apps }: { apps: readonly ListedApp[] }) {
  return <DataTable rows={apps} rowKey={({ id }) => id} columns={COLUMNS} minWidth={480} />
}

const COLUMNS: readonly Column<ListedApp>[] = [
  { title: 'App', cell: (app) => <AppName app={app} /> },
  { title: 'Environment', cell: ({ is_staging }) => <EnvironmentBadge isStaging={is_staging} /> },
  { title: 'Created', cell: ({ created_at }) => <Moment at={created_at} /> },
]

/** Opens the actions of an app; the settings if it is archived, since an owner can restore it there. */
function AppName({ app: { id: appId, name, is_archived } }: { app: ListedApp }) {
  const { id: teamId } = useTeam()
  const path = is_archived ? PAGE_PATHS.app : PAGE_PATHS.actions
  return (
    <Anchor
      component={Link}
      to={generatePath(path, { teamId, appId })}
      title={name}
      truncate
      display="block"
      maw="28rem"
    >
      {name}
    </Anchor>
  )
}
