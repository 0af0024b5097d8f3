import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  ActionDocument,
  type ActionQuery,
  PeopleDocument,
} from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { MAX_PEOPLE_PAGES, PEOPLE_PAGE_ROWS, type Person } from './merge-people.ts'
import { type NullifierSearch, whereNullifier } from './parse-nullifier.ts'

/** An action with the fields that its page reads. */
export type Action = NonNullable<ActionQuery['action_by_pk']>

/** Reads an action; null if it does not exist or the user may not see it. */
export function actionQuery(id: string) {
  return queryOptions({
    queryKey: ['action', id],
    queryFn: async ({ signal }) =>
      (await request(ActionDocument, { id }, signal)).action_by_pk ?? null,
  })
}

/**
 * Reads the people of an action in pages, or those whom a search finds. Each page begins after the last person of the page
 * before (keyset pagination). So the last page of a million people loads as fast as the first.
 */
export function peopleQuery(action_id: string, nullifier?: NullifierSearch) {
  return infiniteQueryOptions({
    queryKey: ['people', action_id, nullifier],
    initialPageParam: null,
    queryFn: async ({ pageParam: last, signal }: PageRequest) => {
      const where = {
        action_id: { _eq: action_id },
        ...(nullifier && { _and: [whereNullifier(nullifier)] }),
        ...(last && {
          created_at: { _lte: last.created_at },
          _or: [
            { created_at: { _lt: last.created_at } },
            { nullifier_hash: { _lt: last.nullifier_hash } },
          ],
        }),
      }
      return (await request(PeopleDocument, { where, limit: PEOPLE_PAGE_ROWS }, signal)).nullifier
    },
    getNextPageParam: (page) => (page.length < PEOPLE_PAGE_ROWS ? undefined : page.at(-1)),
    getPreviousPageParam: () => undefined,
    maxPages: MAX_PEOPLE_PAGES,
  })
}

type PageRequest = { pageParam: Person | null; signal: AbortSignal }
