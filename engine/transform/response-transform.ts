import { z } from 'zod'
import { jsonTemplate } from './kriti.ts'
import type { TemplateScope } from './kriti-functions.ts'
import { fillTemplates } from './request-transform.ts'

/** Changes a webhook's answer, whatever its status. @throws unexpected, when a template cannot be filled in */
export type ResponseTransform = (answer: Answered, request: TemplateScope) => unknown

type Answered = { status: number; body: unknown }

const Definition = z.object({
  body: z
    .union([
      z.string().transform((template) => ({ action: 'transform' as const, template })),
      z.object({ action: z.literal('transform'), template: z.string() }),
      z.object({ action: z.literal('remove') }),
    ])
    .nullish(),
})

/**
 * Reads a `response_transform` of the metadata.
 *
 * @throws TemplateError or ZodError when it cannot be read
 */
export function responseTransform(definition: unknown): ResponseTransform {
  const { body } = Definition.parse(definition)
  if (body == null) return (answer) => answer.body
  if (body.action === 'remove') return () => null
  const template = jsonTemplate(body.template)
  return (answer, request) =>
    fillTemplates('Response', () =>
      template({
        ...request,
        $body: answer.body,
        $response: { status: answer.status, body: answer.body },
      }),
    )
}
