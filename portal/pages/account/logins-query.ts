import { queryOptions } from '@tanstack/react-query'
import { LoginsDocument } from '../../graphql/generated/graphql.ts'
import { request } from '../../graphql/request.ts'
import { currentLoginId } from '../../session/session.ts'

/** Reads the logins of the user, and which of them is this browser's. */
export const loginsQuery = queryOptions({
  queryKey: ['logins'],
  queryFn: async ({ signal }) => {
    const [{ login: logins }, currentId] = await Promise.all([
      request(LoginsDocument, {}, signal),
      currentLoginId(signal),
    ])
    return logins.map((login) => ({ ...login, isHere: login.id === currentId }))
  },
})
