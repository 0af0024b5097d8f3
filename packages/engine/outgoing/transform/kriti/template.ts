import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { isRecord } from '../../../json/record.ts'
import { BudgetExceeded, createBudget, spendOnValue } from './budget.ts'
import { evaluate } from './evaluate.ts'
import type { TemplateScope } from './evaluation.ts'
import { parseTemplate } from './parser.ts'
import { TemplateError } from './template-error.ts'
import { valueText } from './values.ts'

/** Evaluates a parsed template in a scope. Throws TemplateError. */
export type Template<T> = (scope: TemplateScope) => T

/**
 * Parses a Kriti template: JSON with expressions as values.
 *
 * @param name the name of the template's setting, for messages
 * @throws TemplateError
 * @see https://github.com/hasura/kriti-lang
 */
export function jsonTemplate(name: string, text: string): Template<unknown> {
  const source = { name, text }
  const expression = parseTemplate(source)
  return (scope) => {
    const budget = createBudget()
    const { $session_variables: variables } = scope
    const session = isRecord(variables) ? variables : null
    try {
      const value = evaluate(expression, { source, scope, session, budget })
      spendOnValue(budget, value)
      return value
    } catch (cause) {
      if (!(cause instanceof BudgetExceeded)) throw cause
      throw new TemplateError(source, { code: 'Limit Error', reason: cause.message, cause })
    }
  }
}

/**
 * Parses a template for a text: a URL, a header, a query parameter. Like Hasura, reads it as the content of double quotes in a Kriti
 * template, so a quote or backslash in it must be escaped.
 *
 * @throws TemplateError
 */
export function textTemplate(name: string, text: string): Template<string> {
  const template = jsonTemplate(name, `"${text}"`)
  return (scope) => {
    const value = template(scope)
    if (typeof value === 'string' || typeof value === 'boolean' || isNumeral(value))
      return valueText(value, createBudget())
    const reason = 'Template must produce a String, Number, or Boolean value'
    throw new TemplateError({ name, text }, { code: 'TransformationError', reason })
  }
}
