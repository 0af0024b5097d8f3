import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ApiPanel } from '../../team/api-panel.tsx'
import { teamRequest } from '../../team/api-requests.ts'
import { useAllowed, useTeam } from '../../team/current-team.tsx'
import { RequirePermission } from '../../team/require-permission.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyTable } from './key-table.tsx'
import { keysQuery } from './keys-query.ts'

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
  const query = useQuery(keysQuery(team_id))
  const createButton = <Button onClick={() => setIsCreating(true)}>Create a key</Button>
  return (
    <>
      <PageTitle
        title="API keys"
        about="With a key, your server can do what an owner can, except manage keys and owners or delete the team."
        action={mayChange && query.data?.length !== 0 && createButton}
      />
      <Loaded query={query}>
        {(keys) =>
          keys.length > 0 ? (
            <KeyTable keys={keys} />
          ) : (
            <EmptyState
              icon={KeyRound}
              title="No key yet"
              text="Your server needs a key to read who verified."
              action={mayChange && createButton}
            />
          )
        }
      </Loaded>
      <ApiPanel
        isOpen
        about="Your server sends GraphQL requests with an API key. This request lists your actions, and how many people have verified for each."
        query={teamRequest(team_id)}
      />
      <CreateKeyDialog isOpen={isCreating} onClose={() => setIsCreating(false)} />
    </>
  )
}
