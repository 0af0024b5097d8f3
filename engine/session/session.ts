import type { ClientHeaders } from '../request/client.ts'

/** Who is asking: all that later stages know about the caller. */
export type Session = {
  role: string
  /** `x-hasura-*` names in lower case, `x-hasura-role` among them; never the admin secret. */
  variables: ReadonlyMap<string, string>
  /** Whether permissions marked `backend_only` apply. */
  backendOnly: boolean
  /** When a socket opened with these credentials must close; null when they do not expire. */
  expiresAt: Date | null
}

/** The role that may do everything. */
export const ADMIN = 'admin'

/** What authentication sees of a request; `request` is the parsed GraphQL body, or null. */
export type Caller = { headers: ClientHeaders; request: unknown }

/** `cookies` are values of Set-Cookie that the hook wants the client to get. */
export type Authenticated = { session: Session; cookies: readonly string[] }

/** Finds out who is asking. @throws access-denied and the like */
export type Authenticate = (caller: Caller) => Promise<Authenticated>
