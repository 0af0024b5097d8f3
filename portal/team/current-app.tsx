import { queryOptions } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { AppDocument, type AppQuery } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'
import { useAllowed } from './current-team.tsx'

/** An app with the fields that its pages read. */
export type App = NonNullable<AppQuery['app_by_pk']>

/** Reads an app; null if it does not exist or does not belong to a team of the user. */
export function appQuery(id: string) {
  return queryOptions({
    queryKey: ['app', id],
    queryFn: async ({ signal }) => (await request(AppDocument, { id }, signal)).app_by_pk ?? null,
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
