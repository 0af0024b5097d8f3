import type { KoaContextWithOIDC } from 'oidc-provider'
import { z } from 'zod'
import { ApiError, type ErrorCode } from '../../lib/runtime/errors.ts'
import { createErrorAnswer } from '../../lib/runtime/http/error-answer.ts'
import { type RequestContext, requestContext } from '../../lib/runtime/http/request-context.ts'
import { signInErrorBody } from '../errors/error-body.ts'
import { renderErrorPage } from '../page/error-page.ts'
import { chooseLanguage } from '../page/texts.ts'

/** The error body of oidc-provider (RFC 6749 5.2). */
export const LibraryErrorBody = z.object({
  error: z.string(),
  error_description: z.string().optional(),
})

type LibraryErrorBody = z.infer<typeof LibraryErrorBody>

/** Our codes for oidc-provider's errors. An error that is not listed has the code `invalid_request`. */
const CODES: Record<string, ErrorCode> = {
  invalid_client: 'unauthenticated',
  unsupported_grant_type: 'invalid_grant_type',
  invalid_grant: 'invalid_grant',
  invalid_token: 'invalid_token',
  invalid_redirect_uri: 'invalid_redirect_uri',
  invalid_scope: 'invalid_scope',
  temporarily_unavailable: 'unavailable',
  server_error: 'internal_error',
}

/**
 * Our codes for some errors on the routes that a person's browser requests. These codes replace the codes above, and our
 * texts replace oidc-provider's descriptions.
 */
const CODES_FOR_PEOPLE: Record<string, Record<string, ErrorCode>> = {
  authorization: { invalid_client: 'invalid_client_id' },
  resume: { invalid_client: 'invalid_client_id', invalid_request: 'sign_in_expired' },
}

const ATTRIBUTES: Partial<Record<ErrorCode, string>> = {
  invalid_redirect_uri: 'redirect_uri',
  invalid_client_id: 'client_id',
  invalid_grant: 'code',
  invalid_grant_type: 'grant_type',
  invalid_token: 'token',
  invalid_scope: 'scope',
}

/** Replaces oidc-provider's error response with a response in our form, with our code. */
export function rewriteError(
  ctx: KoaContextWithOIDC,
  { error, error_description: description }: LibraryErrorBody,
) {
  const codeForPeople = CODES_FOR_PEOPLE[ctx.oidc.route]?.[error]
  const code = codeForPeople ?? CODES[error] ?? 'invalid_request'
  const failure = new ApiError(code, {
    attribute: ATTRIBUTES[code],
    ...(description && !codeForPeople && { detail: description }),
  })
  answerError(ctx, failure, error)
  // Strict libraries ignore the body of a response with a challenge. So only a caller that sent `Authorization` gets a
  // challenge.
  if (!ctx.req.rawHeaders.some((name) => name.toLowerCase() === 'authorization'))
    ctx.remove('www-authenticate')
}

/** Sends a page to a person's browser, and JSON to other callers. Keeps oidc-provider's OAuth error. */
function answerError(ctx: KoaContextWithOIDC, failure: ApiError, oauthError: string) {
  const context = requestContext.get(ctx.res)
  context.errorCode = failure.code
  context.refusal = failure
  keepApp(ctx, context)
  const facts = { language: languageOf(ctx), requestId: context.requestId }
  const isForPerson = ctx.oidc.route in CODES_FOR_PEOPLE && ctx.accepts('json', 'html') === 'html'
  const { status, headers, body } = createErrorAnswer(
    failure,
    {
      page: isForPerson ? renderErrorPage(failure, facts) : null,
      body: (error, detail) => ({ ...signInErrorBody(error, detail), error: oauthError }),
    },
    null,
  )
  ctx.status = status
  ctx.set(headers)
  ctx.body = body
}

/**
 * Records an error that oidc-provider sends to the website with a redirect, for the request log. `rewriteError` replaces the
 * refusal if a response brings the error.
 */
export function recordRedirectedError(
  ctx: KoaContextWithOIDC,
  { error, error_description: description }: LibraryErrorBody,
) {
  const context = requestContext.get(ctx.res)
  context.refusal = {
    code: error,
    attribute: null,
    message: description ?? 'The sign-in was refused.',
    results: null,
  }
  keepApp(ctx, context)
}

/** Keeps the client as the app of the request: the path of a sign-in in progress does not name it. */
function keepApp({ oidc }: KoaContextWithOIDC, context: RequestContext) {
  if (oidc.client) context.appReference = oidc.client.clientId
}

function languageOf(ctx: KoaContextWithOIDC) {
  return chooseLanguage(ctx.query.ui_locales, ctx)
}
