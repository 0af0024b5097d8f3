import { ApiError } from '../../lib/runtime/errors.ts'
import { form } from '../../lib/runtime/web/source.ts'

/**
 * The error for a body that is not a form. In the sign-in server this code has 400, the status of OAuth's
 * `invalid_request`.
 */
export const FORM_IS_REQUIRED = {
  code: 'invalid_content_type',
  status: 400,
  attribute: 'content-type',
  message: `Send the body as ${form.mediaType}.`,
} as const

/** The error for a body with an unsupported charset or encoding. */
export const UNKNOWN_ENCODING = {
  code: 'invalid_content_type',
  status: 400,
  attribute: 'content-encoding',
  message: 'The charset or content encoding of the body is not supported; send plain UTF-8.',
} as const

/** Creates the error for a body that cannot be read. */
export function unreadableBody({
  code,
  message,
  ...context
}: typeof FORM_IS_REQUIRED | typeof UNKNOWN_ENCODING): ApiError {
  return new ApiError(code, { ...context, detail: message })
}
