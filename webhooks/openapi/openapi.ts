import { z } from 'zod'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import type { Route } from '../../lib/runtime/web/route.ts'
import { type Addresses, internalDocument, openApiDocument } from './document.ts'

export type OpenApiServices = Addresses

/**
 * Creates the operation that serves an OpenAPI document.
 *
 * @param routes a function, since the table of routes contains this operation
 */
export function openApi(
  routes: () => readonly Route<never>[],
  { isInternal }: { isInternal: boolean },
): Operation<OpenApiServices, unknown> {
  return {
    tag: isInternal ? 'Internal' : 'Description',
    summary: isInternal ? 'The description of the internal endpoints' : 'This description',
    answers: { 200: z.looseObject({ openapi: z.literal('3.1.1') }) },
    errors: [],
    handle: ({ baseUrl, pricesUrl }) => {
      const describe = isInternal ? internalDocument : openApiDocument
      const text = JSON.stringify(describe(routes(), { baseUrl, pricesUrl }))
      return (_input, _request, response) => response.type('json').send(text)
    },
  }
}
