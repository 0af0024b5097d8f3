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
  /** The peppers of API key hashes. */
  peppers: Secrets
  /** The peppers of the hashes of sign-in clients' secrets. */
  clientSecretPeppers: Secrets
  passwords: Passwords
  loginAttempts: LoginAttempts
  verification: Pick<Verification, 'examine' | 'examine4' | 'hasProtocol4'>
  countProofCheck: CountProofCheck
}

/** Counts a call of `check_proof`. @throws rate_limited */
export type CountProofCheck = (caller: string) => void

type CallerHeaders = {
  /** Headers for every query: the caller's ids for the audit trail and the quotas, the request id for the logs. */
  headers: Record<string, string>
}

/** A user of the portal. */
export type PortalUser = CallerHeaders & {
  userId: string
  /** The id of the login that the caller's token belongs to; null if Hasura's admin acts as the user. */
  loginId: string | null
}

/** A team's API key. It may do what an owner may, except manage keys, change owners and delete the team. */
type TeamKey = CallerHeaders & { keyId: string; teamId: string }

/** The caller of a Hasura action. */
export type Caller = PortalUser | TeamKey

export type HasuraAction = (
  services: ActionServices,
) => (input: unknown, caller: Caller) => Promise<object>

/**
 * Creates a Hasura action that only a user may call. Parses the input.
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
 * Creates a Hasura action that a user or an API key may call. Parses the input.
 *
 * @throws validation_error; the message names the field, since Hasura does not pass on `attribute`
 */
export function teamAction<In extends z.ZodType>(
  input: In,
  run: (services: ActionServices) => (input: z.infer<In>, caller: Caller) => Promise<object>,
): HasuraAction {
  return (services) => {
    const handle = run(services)
    return async (value, caller) => handle(parseActionInput(input, value), caller)
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

/** Returns the filter that selects the teams that the caller may read. */
export function teamsOf(caller: Caller): Team_Bool_Exp {
  if ('keyId' in caller) return { id: { _eq: caller.teamId } }
  return { memberships: { user_id: { _eq: caller.userId } } }
}

/** Returns the caller as arguments for a database function. The function checks the caller's permissions. */
export function actorOf(caller: Caller): { user_id: string | null; api_key_id: string | null } {
  if ('keyId' in caller) return { user_id: null, api_key_id: caller.keyId }
  return { user_id: caller.userId, api_key_id: null }
}

/** An id that PostgreSQL can store. There may be no row with this id. */
export const idText = z.string().regex(/^[\w-]{1,64}$/, 'Must be an id.')

/** Returns the error for a session without a user, and for a deleted account. */
export function noUserError(): ApiError {
  return new ApiError('unauthenticated', { detail: 'Only a logged-in user may do this.' })
}
