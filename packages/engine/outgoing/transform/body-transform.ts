import { z } from 'zod'
import type { TemplateScope } from './kriti/evaluation.ts'
import { escapeUri } from './kriti/functions.ts'
import { jsonTemplate, textTemplate } from './kriti/template.ts'
import type { WebhookRequest } from './webhook-request.ts'

/** The `body` of a transformation. A transformation of version 1 has the template itself as a text. */
export const BodyDefinition = z.union([
  z.string().transform((template) => ({ action: 'transform' as const, template })),
  z.object({ action: z.literal('transform'), template: z.string() }),
  z.object({ action: z.literal('remove') }),
  z.object({
    action: z.literal('x_www_form_urlencoded'),
    form_template: z.record(z.string(), z.string()),
  }),
])

/** Parses the templates of a body, and returns the function that creates the new body. @throws TemplateError */
export function bodyTransform(
  body: z.infer<typeof BodyDefinition>,
): (scope: TemplateScope) => WebhookRequest['body'] {
  switch (body.action) {
    case 'remove':
      return () => null
    case 'transform': {
      const template = jsonTemplate('body', body.template)
      return (scope) => ({ json: template(scope) })
    }
    case 'x_www_form_urlencoded':
      return formTransform(body.form_template)
  }
}

/** Creates the body of a form. Like Hasura, sorts fields by name, and omits fields that have the text `null`. */
function formTransform(templates: Readonly<Record<string, string>>) {
  const fields = Object.keys(templates)
    .toSorted()
    .map((name) => [name, textTemplate(`form field ${name}`, templates[name] ?? '')] as const)
  return (scope: TemplateScope) => ({
    text: fields
      .map(([name, template]) => [name, template(scope)] as const)
      .filter(([, value]) => value !== 'null')
      .map(([name, value]) => `${escapeUri(name)}=${escapeUri(value)}`)
      .join('&'),
  })
}
