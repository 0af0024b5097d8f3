import { ApiError } from '../../lib/runtime/errors.ts'
import { form } from '../../lib/runtime/web/source.ts'

/** A body that is no form. The sign-in server gives this code the status of OAuth's `invalid_request`. */
export const FORM_IS_REQUIRED = {
  code: 'invalid_content_type',
  status: 400,
  attribute: 'content-type',
  message: `Send the body as ${form.mediaType}.`,
} as const

/** A body that cannot be decoded, whatever it contains. */
export const UNKNOWN_ENCODING = {
  code: 'invalid_content_type',
  status: 400,
  attribute: 'content-encoding',
  message: 'The charset or the encoding of the body is not supported.',
} as const

/** The error of a body that cannot be read. */
export function unreadableBody({
  code,
  message,
  ...context
}: typeof FORM_IS_REQUIRED | typeof UNKNOWN_ENCODING): ApiError {
  return new ApiError(code, { ...context, detail: message })
}
