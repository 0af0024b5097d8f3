import { Button, Combobox, Group, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Check, ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import { generatePath, useLocation, useNavigate } from 'react-router'
import { CutText } from '../components/cut-text.tsx'
import { PAGE_PATHS } from '../settings/page-paths.ts'
import { appsQuery, type ListedApp } from '../team/apps-query.ts'
import type { App } from '../team/current-app.tsx'
import { APP_LINKS } from './page-links.ts'

const TYPING_MS = 250

/** Shows the name of the app. Opens a list of the team's apps with a search. */
export function AppSwitch({ app: { id, team_id, name } }: { app: App }) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const open = (appId: string) => {
    combobox.closeDropdown()
    void navigate(samePage(pathname, { teamId: team_id, from: id, to: appId }))
  }
  return (
    <Combobox store={combobox} onOptionSubmit={open} withinPortal={false} offset={4}>
      <Combobox.Target targetType="button">
        <Button
          variant="default"
          fullWidth
          justify="space-between"
          mb={4}
          px="sm"
          aria-label={`${name}: switch to another app`}
          title={name}
          onClick={() => combobox.toggleDropdown()}
          rightSection={<ChevronsUpDown aria-hidden size={16} />}
        >
          <CutText text={name} fw={650} inherit />
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        {combobox.dropdownOpened && <Choices teamId={team_id} currentId={id} />}
      </Combobox.Dropdown>
    </Combobox>
  )
}

type ChoicesProps = { teamId: string; currentId: string }

function Choices({ teamId, currentId }: ChoicesProps) {
  const [search, setSearch] = useState('')
  const [text] = useDebouncedValue(search.trim(), TYPING_MS)
  const { data, error } = useInfiniteQuery(appsQuery(teamId, text))
  const apps = data?.pages.flat() ?? []
  return (
    <>
      <Combobox.Search
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        placeholder="Search apps"
        aria-label="Search apps"
        autoFocus
      />
      <Combobox.Options mah={280} style={{ overflowY: 'auto' }} aria-label="Apps">
        {apps.map((app) => (
          <Choice key={app.id} app={app} isCurrent={app.id === currentId} />
        ))}
        {apps.length === 0 && <Combobox.Empty>{emptyWords(data, error)}</Combobox.Empty>}
      </Combobox.Options>
    </>
  )
}

function Choice({ app: { id, name }, isCurrent }: { app: ListedApp; isCurrent: boolean }) {
  return (
    <Combobox.Option value={id} selected={isCurrent}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <CutText text={name} size="sm" />
        {isCurrent && <Check aria-label="This app" size={16} style={{ flexShrink: 0 }} />}
      </Group>
    </Combobox.Option>
  )
}

function emptyWords(data: unknown, error: Error | null): string {
  if (data !== undefined) return 'No app found'
  return error ? error.message : 'Loading'
}

type Move = { teamId: string; from: string; to: string }

/** Returns the address of the same page of another app; of the app's actions for a page that other apps do not have. */
function samePage(pathname: string, { teamId, from, to }: Move): string {
  const { path = PAGE_PATHS.actions } =
    APP_LINKS.find(
      (link) => !link.isForStaging && generatePath(link.path, { teamId, appId: from }) === pathname,
    ) ?? {}
  return generatePath(path, { teamId, appId: to })
}
