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
