import { queryOptions } from '@tanstack/react-query'
import { RedirectsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

/** Reads the redirect URIs of an app. */
export function redirectsQuery(app_id: string) {
  return queryOptions({
    queryKey: ['redirects', app_id],
    queryFn: async ({ signal }) => (await request(RedirectsDocument, { app_id }, signal)).redirect,
  })
}
