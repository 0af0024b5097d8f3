import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { firstIssue, parseInWords } from '../../lib/runtime/parse-in-words.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { LoginAttempts } from '../accounts/login-attempts.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Sdk, Team_Bool_Exp } from '../generated/sdk.ts'

export type ActionServices = {
  graphql: Sdk
  /** For the hashes of API keys. */
  peppers: Secrets
  /** For the hashes of apps' sign-in secrets. */
  clientSecretPeppers: Secrets
  passwords: Passwords
  loginAttempts: LoginAttempts
  verification: Pick<Verification, 'examine'>
  countProofCheck: CountProofCheck
}

/** Counts a check of a proof that is not a verification. @throws rate_limited */
export type CountProofCheck = (caller: string) => void

type Called = {
  /** Sent with every call made for the caller: the ids for the audit trail and the quotas, the request id for the logs. */
  headers: Record<string, string>
}

/** A user of the portal. */
export type PortalUser = Called & {
  userId: string
  /** The login whose token the call came with. */
  loginId: string | null
}

/** A team's API key, which may do in its team what an owner may, except for keys and owners. */
type TeamKey = Called & { keyId: string; teamId: string }

/** Who called a Hasura action. */
export type Caller = PortalUser | TeamKey

export type HasuraAction = (
  services: ActionServices,
) => (input: unknown, caller: Caller) => Promise<object>

/**
 * A Hasura action that concerns a user: parses its input, then runs for the user.
 *
 * @throws unauthenticated for an API key; validation_error
 */
export function hasuraAction<In extends z.ZodType>(
  input: In,
  run: (services: ActionServices) => (input: z.infer<In>, caller: PortalUser) => Promise<object>,
): HasuraAction {
  return teamAction(input, (services) => {
    const handle = run(services)
    return async (parsed, caller) => {
      if ('keyId' in caller) throw noUserError()
      return handle(parsed, caller)
    }
  })
}

/**
 * A Hasura action that concerns a team: parses its input, then runs for a user or for an API key.
 *
 * @throws validation_error, with the field in the message, since Hasura does not pass on `attribute`
 */
export function teamAction<In extends z.ZodType>(
  input: In,
  run: (services: ActionServices) => (input: z.infer<In>, caller: Caller) => Promise<object>,
): HasuraAction {
  return (services) => {
    const handle = run(services)
    return async (given, caller) => handle(parseActionInput(input, given), caller)
  }
}

function parseActionInput<In extends z.ZodType>(schema: In, value: unknown): z.infer<In> {
  const parsed = parseInWords(schema, value)
  if (parsed.success) return parsed.data
  const issue = firstIssue(parsed.error)
  const field = issue.path.join('.')
  throw new ApiError('validation_error', {
    attribute: field,
    detail: `${field}: ${issue.message}`,
    cause: parsed.error,
  })
}

/** The teams whose records the caller may read. */
export function teamsOf(caller: Caller): Team_Bool_Exp {
  if ('keyId' in caller) return { id: { _eq: caller.teamId } }
  return { memberships: { user_id: { _eq: caller.userId } } }
}

/** For whom a function of the database is to act: it checks itself what they may. */
export function actingFor(caller: Caller): { user_id: string | null; api_key_id: string | null } {
  if ('keyId' in caller) return { user_id: null, api_key_id: caller.keyId }
  return { user_id: caller.userId, api_key_id: null }
}

/** An id, by its form; the database knows whether the row exists. PostgreSQL accepts every such text. */
export const idText = z.string().regex(/^[\w-]{1,64}$/, 'Must be an id.')

/** The error for a session without a user, and for one whose account has just been deleted. */
export function noUserError(): ApiError {
  return new ApiError('unauthenticated', { detail: 'Only a user may do this.' })
}
