import { parseRpId } from '../../lib/proof/protocol-4/rp-id.ts'
import { ApiError } from '../../lib/runtime/errors.ts'

/** The two ids of an app in a path: its app id, and its rp id. */
const IDS = 'the id of an app (app_…) or its rp id (rp_ and 16 hex digits)'

/**
 * Returns an app id unchanged, and an rp id in the stored spelling.
 *
 * @param attribute the parameter of the path, for the error
 * @throws invalid_request for any other text
 */
export function requireAppOrRpId(text: string, attribute: string): string {
  if (/^app_\w{1,64}$/.test(text)) return text
  if (parseRpId(text) !== null) return text.toLowerCase()
  throw new ApiError('invalid_request', { attribute, detail: `Send ${IDS} in the path.` })
}

/** Returns the error for an id that no active app has. */
export function unknownAppError(attribute: string): ApiError {
  return new ApiError('not_found', {
    attribute,
    detail: `No active app has this id: send ${IDS} in the path.`,
  })
}
