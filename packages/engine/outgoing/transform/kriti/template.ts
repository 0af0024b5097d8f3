import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { isRecord } from '../../../json/record.ts'
import { BudgetExceeded, createBudget, spendOnValue } from './budget.ts'
import { evaluate } from './evaluate.ts'
import type { TemplateScope } from './evaluation.ts'
import { parseTemplate } from './parser.ts'
import { TemplateError } from './template-error.ts'
import { valueText } from './values.ts'

/** A template that was parsed: computes its value in a scope. It throws TemplateError. */
export type Template<T> = (scope: TemplateScope) => T

/**
 * Parses a Kriti template: JSON in which expressions stand for values.
 *
 * @param name of the setting that contains the template, for messages
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
 * Parses a template for a text: a URL, a header, a query parameter. As in Hasura, it is what stands between double
 * quotes in a Kriti template, so that a quote or a backslash in it is escaped.
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
