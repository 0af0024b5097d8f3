import { parseExactJson } from '../../../../../lib/runtime/exact-json.ts'
import { jsonTemplate } from '../../../outgoing/transform/kriti/template.ts'
import { TemplateError } from '../../../outgoing/transform/kriti/template-error.ts'

/** Evaluates a template and returns the value as the JSON that is sent. */
export function evaluateTemplate(template: string, scope: Record<string, unknown>): unknown {
  return parseExactJson(JSON.stringify(jsonTemplate('body', template)(scope)))
}

/** Returns the error of a template that cannot be parsed or evaluated. */
export function failureOf(template: string, scope: Record<string, unknown>): TemplateError {
  try {
    evaluateTemplate(template, scope)
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown
    throw thrown
  }
  throw new Error(`The template has a value: ${template}`)
}
