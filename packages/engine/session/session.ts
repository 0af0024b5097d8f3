import type { ClientHeaders } from './client.ts'

/** Who sends the request: everything that later stages know about the client. */
export type Session = {
  role: string
  /** `x-hasura-*` names in lower case, `x-hasura-role` among them; never the admin secret. */
  variables: ReadonlyMap<string, string>
  /** Whether permissions marked `backend_only` apply. */
  backendOnly: boolean
  /** When a WebSocket with this session must be closed; null when the credentials do not expire. */
  expiresAt: Date | null
  /**
   * What vouches for its role and variables: the admin secret; the claims of a hook or token; nothing, if the client
   * chose them.
   */
  restsOn: 'secret' | 'claims' | 'nothing'
}

/** The role that is allowed everything. */
export const ADMIN = 'admin'

/** What authentication sees of a request; `request` is the parsed GraphQL body, or null. */
export type Caller = { headers: ClientHeaders; request: unknown }

/** The session of a client; `cookies` are values of `Set-Cookie` that the hook has answered. */
export type Authenticated = { session: Session; cookies: readonly string[] }

/** Authenticates a request. @throws EngineError such as access-denied */
export type Authenticate = (caller: Caller) => Promise<Authenticated>
