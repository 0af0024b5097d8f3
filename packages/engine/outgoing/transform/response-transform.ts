import { z } from 'zod'
import { BodyDefinition, bodyTransform } from './body-transform.ts'
import { fillTemplates } from './fill-templates.ts'
import type { TemplateScope } from './kriti/evaluation.ts'
import { describeRequestParts } from './webhook-request.ts'

/** Transforms a webhook's response. @throws unexpected, if a template cannot be evaluated */
export type ResponseTransform = (response: WebhookResponse) => unknown

type WebhookResponse = {
  status: number
  body: unknown
  session: TemplateScope | null
  /** The scope of the request's templates; null if the request was not transformed. */
  request: TemplateScope | null
}

const Definition = z.object({ body: BodyDefinition.nullish() })

/**
 * Reads a `response_transform` of the metadata.
 *
 * @throws TemplateError or ZodError if it cannot be read
 */
export function responseTransform(definition: unknown): ResponseTransform {
  const { body } = Definition.parse(definition)
  if (body == null) return (response) => response.body
  const transform = bodyTransform(body)
  return ({ status, body: $body, session, request }) => {
    const newBody = fillTemplates('Response', () =>
      transform({
        $body,
        $request: request && describeRequestParts(request),
        $response: { status },
        $session_variables: session,
      }),
    )
    return newBody && ('json' in newBody ? newBody.json : newBody.text)
  }
}
