import { queryOptions } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import { AccountDocument, type AccountQuery } from '../graphql/generated/graphql.ts'
import { request } from '../graphql/request.ts'

export type Account = AccountQuery['login'][number]['user']

/** Reads the current user. Without a login, the query fails with an error for which `isSessionOver` is true. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) =>
    (await request(AccountDocument, {}, signal)).login[0]?.user ?? null,
})

const AccountContext = createContext<Account | null>(null)

/** Provides the account to the components inside. */
export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  return <AccountContext value={account}>{children}</AccountContext>
}

/** Returns the user of this page. */
export function useAccount(): Account {
  const account = useContext(AccountContext)
  if (!account) throw new Error('useAccount must be used inside AccountProvider')
  return account
}
