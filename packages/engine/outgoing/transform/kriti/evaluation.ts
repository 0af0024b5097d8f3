import type { Budget } from './budget.ts'
import {
  type Span,
  TemplateError,
  type TemplateErrorCode,
  type TemplateSource,
} from './template-error.ts'
import { jsonType } from './values.ts'

/** The values of a template's names, such as `$body`. */
export type TemplateScope = Readonly<Record<string, unknown>>

/** The context of an evaluation. */
export type Evaluation = {
  source: TemplateSource
  /** The values of the template's names, and of the names in loops around the expression. */
  scope: TemplateScope
  session: TemplateScope | null
  budget: Budget
}

type FailureDetails = { code: TemplateErrorCode; reason: string; quotesValue?: boolean }

/** Creates the error for an expression that has no value, for example because a member is missing. */
export function failure(
  { source }: Evaluation,
  { start, end }: Span,
  details: FailureDetails,
): TemplateError {
  return new TemplateError(source, { ...details, span: { start, end } })
}

/** Creates the error for a value of the wrong type. */
export function wrongType(
  evaluation: Evaluation,
  span: Span,
  value: unknown,
  expected: string,
): TemplateError {
  const reason = `Couldn't match expected type '${expected}' with actual type '${jsonType(value)}'`
  return failure(evaluation, span, { code: 'Type Error', reason })
}
