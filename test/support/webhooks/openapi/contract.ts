import { routes } from '../../../../webhooks/app.ts'
import { internalDocument, openApiDocument } from '../../../../webhooks/openapi/document.ts'
import { createContract } from '../../openapi/contract.ts'

/** What `/openapi.json` says. */
export const document = openApiDocument(routes, { baseUrl: 'http://localhost' })
/** What `/hasura/openapi.json` says. */
export const internal = internalDocument(routes, { baseUrl: 'http://localhost' })

export const { documented, judge, watch } = createContract({
  documents: [document, internal],
  isForPeople,
  isAlwaysChallenged: true,
  isStrict: false,
})

/** The portal and the page about the local platform are no part of the API. */
function isForPeople(path: string): boolean {
  return /^\/($|assets\/|local$|log-in$|sign-up$|forgot-password$|account$|new-team$|teams\/)/.test(
    path,
  )
}
