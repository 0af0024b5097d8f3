import { ApiError } from '../../../lib/runtime/errors.ts'
import type { Verification } from '../../../lib/verification/verification.ts'
import { unknownAppError } from '../../relying-party/app-id.ts'
import { type ActionCandidate, REQUIREMENTS } from '../requirements.ts'
import type { Result4 } from './form.ts'

type App = NonNullable<ActionCandidate['app']>

/**
 * Checks what a result of protocol 4.0 requires of the app and of the service, before its proofs are checked. The order is
 * part of the API.
 *
 * @throws not_found, invalid_engine, validation_error for an environment that the app does not accept,
 *   invalid_integrity_bundle, configuration_error
 */
export function requireApp(
  candidate: ActionCandidate,
  { environment, integrity_bundle }: Result4,
  { hasProtocol4 }: Pick<Verification, 'hasProtocol4'>,
): App {
  const { app } = candidate
  if (!app) throw unknownAppError('app_id')
  if (!REQUIREMENTS.engine.isMet(candidate)) throw REQUIREMENTS.engine.refuse()
  if (!app.is_staging && environment !== undefined && environment !== 'production')
    throw new ApiError('validation_error', {
      attribute: 'environment',
      detail: `Must be production, because the app is a production app; got ${environment}.`,
    })
  if (integrity_bundle)
    throw new ApiError('invalid_integrity_bundle', { attribute: 'integrity_bundle' })
  if (!hasProtocol4) throw new ApiError('configuration_error', { attribute: 'protocol_version' })
  return app
}

/** Returns the environment of the response: the environment of the request, by default the app's. */
export function environmentOf({ is_staging }: App, { environment }: Result4) {
  return environment ?? (is_staging ? 'staging' : 'production')
}
