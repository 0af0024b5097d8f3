import { queryOptions } from '@tanstack/react-query'
import { KeysDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'

/** Reads the keys of a team. */
export function keysQuery(team_id: string) {
  return queryOptions({
    queryKey: ['keys', team_id],
    queryFn: async ({ signal }) => (await request(KeysDocument, { team_id }, signal)).api_key,
  })
}
