import { ApiError } from '../../lib/runtime/errors.ts'

export const FORM = 'application/x-www-form-urlencoded'

/** A body that is no form. The sign-in server gives this code the status of OAuth's `invalid_request`. */
export function formIsRequired(): ApiError {
  return new ApiError('invalid_content_type', {
    attribute: 'content-type',
    status: 400,
    detail: `Send the body as ${FORM}.`,
  })
}

/** A body that cannot be decoded, whatever it contains. */
export function unknownEncoding(): ApiError {
  return new ApiError('invalid_content_type', {
    attribute: 'content-encoding',
    status: 400,
    detail: 'The charset or the encoding of the body is not supported.',
  })
}
