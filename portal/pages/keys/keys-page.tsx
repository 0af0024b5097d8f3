import { Button, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { SearchField } from '../../components/url-state/search-field.tsx'
import { useUrlState } from '../../components/url-state/use-url-state.ts'
import { ApiPanel } from '../../team/api-panel.tsx'
import { teamRequest } from '../../team/api-requests.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { RequirePermission } from '../../team/require-permission.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyTable } from './key-table.tsx'
import { KEYS_PARAMETERS, keysQuery } from './keys-query.ts'

/** With fewer keys, a search is of no use. */
const MIN_SEARCHABLE = 10

/** The page of the API keys of a team. */
export function KeysPage() {
  return (
    <RequirePermission permission="readKeys" title="API keys">
      <KeysContent />
    </RequirePermission>
  )
}

function KeysContent() {
  const { id: team_id } = useTeam()
  const mayChange = useAllowed('changeKeys')
  const [isCreating, setIsCreating] = useState(false)
  const [filters, setFilters] = useUrlState(KEYS_PARAMETERS)
  const { search } = filters
  const query = useInfiniteQuery(keysQuery(team_id, filters))
  const keys = query.data?.pages.flat() ?? []
  const isEmpty = query.isSuccess && keys.length === 0
  const createButton = <Button onClick={() => setIsCreating(true)}>Create a key</Button>
  return (
    <>
      <PageTitle
        title="API keys"
        about="With a key, your server can do what an owner can, except manage keys and owners or delete the team."
        action={mayChange && !(isEmpty && search === '') && createButton}
      />
      <Stack>
        {(search !== '' || keys.length >= MIN_SEARCHABLE) && (
          <SearchField
            description="A part of the name of a key."
            w={300}
            search={search}
            onSearch={(text) => setFilters({ search: text })}
          />
        )}
        <Loaded query={query}>
          {() =>
            keys.length > 0 ? (
              <KeyTable keys={keys} />
            ) : (
              <NoKeys isSearched={search !== ''} action={mayChange && createButton} />
            )
          }
        </Loaded>
        <MoreButton query={query} />
      </Stack>
      <ApiPanel
        isOpen
        about="Your server sends GraphQL requests with an API key. This request lists your actions, and how many people have verified for each."
        query={teamRequest(team_id)}
      />
      <CreateKeyDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}

function NoKeys({ isSearched, action }: { isSearched: boolean; action: ReactNode }) {
  if (isSearched) return <Text c="dimmed">No key matches.</Text>
  return (
    <EmptyState
      icon={KeyRound}
      title="No key yet"
      text="Your server needs a key to read who verified."
      action={action}
    />
  )
}
