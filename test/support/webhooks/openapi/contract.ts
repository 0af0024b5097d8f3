import { routes } from '../../../../webhooks/app.ts'
import { internalDocument, openApiDocument } from '../../../../webhooks/openapi/document.ts'
import { createContract } from '../../openapi/contract.ts'

/** The OpenAPI document of `/openapi.json`. */
export const document = openApiDocument(routes, { baseUrl: 'http://localhost' })
/** The OpenAPI document of `/hasura/openapi.json`. */
export const internal = internalDocument(routes, { baseUrl: 'http://localhost' })

export const { documented, judge, watch } = createContract({
  documents: [document, internal],
  isForPeople,
  isAlwaysChallenged: true,
  isStrict: false,
})

/**
 * Reports whether a path is a page of the portal or of the local platform, which are not part of
 * the API.
 */
function isForPeople(path: string): boolean {
  return /^\/($|assets\/|local$|log-in$|sign-up$|forgot-password$|account$|new-team$|teams\/)/.test(
    path,
  )
}
