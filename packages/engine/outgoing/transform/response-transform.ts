import { z } from 'zod'
import { BodyDefinition, bodyTransform } from './body-transform.ts'
import { fillTemplates } from './fill-templates.ts'
import type { TemplateScope } from './kriti/evaluation.ts'
import { describeRequestParts } from './webhook-request.ts'

/** Changes a webhook's answer, whatever its status. @throws unexpected, when a template cannot be evaluated */
export type ResponseTransform = (answer: Answer) => unknown

type Answer = {
  status: number
  body: unknown
  session: TemplateScope | null
  /** The names that templates of the request could use; null if the request was not transformed. */
  request: TemplateScope | null
}

const Definition = z.object({ body: BodyDefinition.nullish() })

/**
 * Reads a `response_transform` of the metadata.
 *
 * @throws TemplateError or ZodError when it cannot be read
 */
export function responseTransform(definition: unknown): ResponseTransform {
  const { body } = Definition.parse(definition)
  if (body == null) return (answer) => answer.body
  const transform = bodyTransform(body)
  return ({ status, body: $body, session, request }) => {
    const made = fillTemplates('Response', () =>
      transform({
        $body,
        $request: request && describeRequestParts(request),
        $response: { status },
        $session_variables: session,
      }),
    )
    return made && ('json' in made ? made.json : made.text)
  }
}
