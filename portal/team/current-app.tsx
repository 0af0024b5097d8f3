import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { useParams } from 'react-router'
import { AppDocument, type AppQuery } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAllowed, useTeam } from './current-team.tsx'

/** An app with the fields that its pages read. */
export type App = NonNullable<AppQuery['app_by_pk']>

/** Reads the app that the page's address names; null if it does not belong to this team. */
export function useAppQuery() {
  const { appId = '' } = useParams()
  const { id: teamId } = useTeam()
  return useQuery({
    queryKey: ['app', appId],
    queryFn: async () => {
      const { app_by_pk: app } = await request(AppDocument, { id: appId })
      return app?.team_id === teamId ? app : null
    },
  })
}

const AppContext = createContext<App | null>(null)

/** Provides the app to the components inside. */
export function AppProvider({ app, children }: { app: App; children: ReactNode }) {
  return <AppContext value={app}>{children}</AppContext>
}

/** Returns the app of this page. */
export function useApp(): App {
  const app = useContext(AppContext)
  if (!app) throw new Error('useApp must be used inside AppProvider')
  return app
}

/** Returns whether the user may change this app. */
export function useMayChangeApp(): boolean {
  const { is_archived } = useApp()
  return useAllowed(is_archived ? 'changeArchivedApp' : 'changeApp')
}

/** Returns the app's active request signing key: its address and when it was created; undefined if there is none. */
export function requestKeyOf({ request_keys: [key] }: App) {
  return key
}
