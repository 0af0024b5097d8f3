import { z } from 'zod'
import type { Operation } from '../operation.ts'
import type { Route } from '../route.ts'
import { describe } from './describe.ts'

export type OpenApiServices = { baseUrl: string }

/**
 * The description of the API for programs.
 *
 * @param routes asked for later, since the table that it describes has it in it
 */
export function openApi(
  routes: () => readonly Route<never>[],
): Operation<OpenApiServices, unknown> {
  return {
    tag: 'Description',
    summary: 'This description',
    answers: { 200: z.looseObject({ openapi: z.literal('3.1.1') }) },
    errors: [],
    handle: ({ baseUrl }) => {
      const text = JSON.stringify(describe(routes(), { baseUrl }))
      return (_input, _request, response) => response.type('json').send(text)
    },
  }
}
