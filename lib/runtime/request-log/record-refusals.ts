import type { RequestOutcome } from '../http/begin-request.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { RefusedRequest, RequestLog } from './request-log.ts'

/**
 * Creates the function that records a refused request in the request log, after the response. Leaves out requests that name
 * no app, and ids that no app can have.
 */
export function createRefusalRecorder(requestLog: RequestLog) {
  return ({ route }: Pick<RequestOutcome, 'route'>, context: RequestContext): void => {
    const { appReference: app, refusal, requestId } = context
    if (!refusal || app === null || route === null || !APP_REFERENCE.test(app)) return
    const { code, attribute, message, results } = refusal
    requestLog.record({
      app,
      endpoint: endpointOf(route),
      code,
      attribute: attribute === null ? null : storableText(attribute, MAX_ATTRIBUTE_LENGTH),
      detail: storableText(message, MAX_DETAIL_LENGTH),
      reasons: reasonsOf(results ?? []),
      request_id: requestId,
    })
  }
}

/** The id of an app, of its relying party, or of an action. An id of another form is no app's, so it is not looked up. */
const APP_REFERENCE = /^(app|rp|action|wid)_(staging_)?[0-9a-f]{16,32}$/

/** Returns the path of a route without its parameters: `/api/v2/verify{/:app_id}` is `/api/v2/verify`. */
function endpointOf(route: string): string {
  return route.replace(/\{?\/:.*$/, '')
}

const MAX_ATTRIBUTE_LENGTH = 100
const MAX_DETAIL_LENGTH = 300

/** A long word in a message is no word: it could be a proof, a nullifier or a token that a caller sent. */
const LONG_WORD = /[\p{L}\p{N}_+/=.-]{48,}/gu

/** Returns a text that PostgreSQL can store, without long words and with at most `maxLength` characters. */
function storableText(text: string, maxLength: number): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ' ')
    .replaceAll(LONG_WORD, '…')
    .slice(0, maxLength)
    .toWellFormed()
}

/** Returns the codes of the parts of a request, each once. */
function reasonsOf(results: readonly object[]): RefusedRequest['reasons'] {
  const codes = results.map((result) => ('code' in result ? result.code : undefined))
  return [...new Set(codes)].filter((code) => typeof code === 'string')
}
