import type { ClientHeaders } from './client.ts'

/** The identity of a client: its role, its session variables, and where they come from. */
export type Session = {
  role: string
  /** `x-hasura-*` names in lower case, `x-hasura-role` among them; never the admin secret. */
  variables: ReadonlyMap<string, string>
  /** True if permissions marked `backend_only` apply. */
  backendOnly: boolean
  /** When a WebSocket with this session must be closed; null if the credentials do not expire. */
  expiresAt: Date | null
  /**
   * The source of the role and the variables. `secret`: the client sent the admin secret, or the engine has none, so
   * the client may choose them. `claims`: they come from a hook or a token. `nothing`: the client has no credentials,
   * and chose the variables.
   */
  basis: 'secret' | 'claims' | 'nothing'
}

/** The role that may do everything. */
export const ADMIN = 'admin'

/** The part of a request that authentication sees; `request` is the parsed GraphQL body, or null. */
export type Caller = { headers: ClientHeaders; request: unknown }

/** The session of a client; `cookies` are the values of `Set-Cookie` from the hook. */
export type Authentication = { session: Session; cookies: readonly string[] }

/** Authenticates a request. @throws EngineError, for example access-denied */
export type Authenticate = (caller: Caller) => Promise<Authentication>
