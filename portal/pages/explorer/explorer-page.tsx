import 'graphiql/style.css'
import './explorer.css'
import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit'
import { useComputedColorScheme } from '@mantine/core'
import { GraphiQL } from 'graphiql'
import { createClient } from 'graphql-ws'
import { useSearchParams } from 'react-router'
import { PageTitle } from '../../components/page-title.tsx'
import { useAccount } from '../../session/account.tsx'
import { recordSessionOver } from '../../session/session-over.ts'
import { teamRequest } from '../../team/api-requests.ts'
import { useTeam } from '../../team/current-team.tsx'
import { historyStorage } from './history-storage.ts'

/** A page for GraphQL requests with the rights of the user. `?query=` is the request that the page shows first. */
export function ExplorerPage() {
  const { id: teamId } = useTeam()
  const { id: userId } = useAccount()
  const [parameters] = useSearchParams()
  const scheme = useComputedColorScheme()
  return (
    <>
      <PageTitle
        title="GraphQL"
        about="Requests run with your rights in this team. To use an API key’s rights, enter its authorization header under “Headers”."
      />
      <div className="explorer" key={teamId} ref={nameEditors}>
        <GraphiQL
          fetcher={fetcher}
          defaultQuery={teamRequest(teamId)}
          {...initialTab(parameters.get('query'))}
          forcedTheme={scheme}
          storage={historyStorage({ userId, teamId })}
          showPersistHeadersSettings={false}
        />
      </div>
    </>
  )
}

/** Names the editors' text fields for screen readers, since CodeMirror's fields have no names. GraphiQL adds the editors later. */
function nameEditors(explorer: HTMLDivElement) {
  const observer = new MutationObserver(() => {
    for (const field of explorer.querySelectorAll('textarea:not([aria-label])'))
      field.setAttribute(
        'aria-label',
        field.closest('section[aria-label]')?.getAttribute('aria-label') ?? 'Editor',
      )
  })
  observer.observe(explorer, { childList: true, subtree: true })
  return () => observer.disconnect()
}

/** Returns the properties that open GraphiQL with a request. */
function initialTab(query: string | null) {
  return query === null ? {} : { query }
}

/** Sends requests with the session cookie, and shows the log-in dialog if the session has ended. */
const fetcher: Fetcher = createGraphiQLFetcher({
  url: '/v1/graphql',
  async fetch(url: RequestInfo | URL, request?: RequestInit) {
    const response = await fetch(url, { ...request, credentials: 'same-origin' })
    if (response.status === 401) recordSessionOver(true)
    return response
  },
  wsClient: createClient({ url: `${location.origin.replace(/^http/, 'ws')}/v1/graphql` }),
})
