import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import type { Secrets } from '../../lib/secret.ts'
import type { Sdk } from '../generated/sdk.ts'

export type ActionServices = {
  graphql: Sdk
  /** Keys the hashes of API keys. */
  peppers: Secrets
  /** Keys the hashes of apps' sign-in secrets. */
  clientSecretPeppers: Secrets
}

/** Who called a Hasura action. */
export type Caller = {
  userId: string
  /** Of the calls that are made for them: the audit trail names the user, and logs the request. */
  headers: Record<string, string>
}

export type Action = (
  services: ActionServices,
) => (input: unknown, caller: Caller) => Promise<object>

/**
 * A Hasura action: what it takes, parsed, and what it does for the caller.
 *
 * @throws validation_error, with the field in the message: Hasura passes no attribute on
 */
export function action<In extends z.ZodType>(
  input: In,
  run: (services: ActionServices) => (input: z.infer<In>, caller: Caller) => Promise<object>,
): Action {
  return (services) => {
    const handle = run(services)
    return async (given, caller) => handle(parse(input, given), caller)
  }
}

function parse<In extends z.ZodType>(schema: In, value: unknown): z.infer<In> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.')
  throw new ApiError('validation_error', {
    attribute: field,
    detail: `${field}: ${issue?.message}`,
    cause: parsed.error,
  })
}

/** An id, as text that PostgreSQL takes; whether there is such a row is the database's to say. */
export const id = z.string().regex(/^[\w-]{1,64}$/, 'Must be an id.')

/** Of a session without a user, and of one whose account was deleted a moment ago. */
export function noUser(): ApiError {
  return new ApiError('unauthenticated', { detail: 'Only a user may do this.' })
}
