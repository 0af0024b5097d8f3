import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import type { Secrets } from '../../lib/secrets/secret.ts'
import type { LoginAttempts } from '../accounts/login-attempts.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Sdk } from '../generated/sdk.ts'
import { firstIssue } from '../route/read-input.ts'

export type ActionServices = {
  graphql: Sdk
  /** For the hashes of API keys. */
  peppers: Secrets
  /** For the hashes of apps' sign-in secrets. */
  clientSecretPeppers: Secrets
  passwords: Passwords
  loginAttempts: LoginAttempts
}

/** Who called a Hasura action. */
export type Caller = {
  userId: string
  /** The login whose token the call came with. */
  loginId: string | null
  /** Sent with every call made for them: the user for the audit trail, the request id for the logs. */
  headers: Record<string, string>
}

export type HasuraAction = (
  services: ActionServices,
) => (input: unknown, caller: Caller) => Promise<object>

/**
 * A Hasura action: parses its input, then runs for the caller.
 *
 * @throws validation_error, with the field in the message, since Hasura does not pass on `attribute`
 */
export function hasuraAction<In extends z.ZodType>(
  input: In,
  run: (services: ActionServices) => (input: z.infer<In>, caller: Caller) => Promise<object>,
): HasuraAction {
  return (services) => {
    const handle = run(services)
    return async (given, caller) => handle(parseActionInput(input, given), caller)
  }
}

function parseActionInput<In extends z.ZodType>(schema: In, value: unknown): z.infer<In> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = firstIssue(parsed.error)
  const field = issue.path.join('.')
  throw new ApiError('validation_error', {
    attribute: field,
    detail: `${field}: ${issue.message}`,
    cause: parsed.error,
  })
}

/** An id, by its form; the database knows whether the row exists. PostgreSQL accepts every such text. */
export const idText = z.string().regex(/^[\w-]{1,64}$/, 'Must be an id.')

/** The error for a session without a user, and for one whose account has just been deleted. */
export function noUserError(): ApiError {
  return new ApiError('unauthenticated', { detail: 'Only a user may do this.' })
}
