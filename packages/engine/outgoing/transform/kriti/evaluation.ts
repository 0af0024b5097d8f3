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

/** What an evaluation needs besides the expression. */
export type Evaluation = {
  source: TemplateSource
  /** The names of the template, and those of the loops around the expression. */
  scope: TemplateScope
  session: TemplateScope | null
  budget: Budget
}

type Failed = { code: TemplateErrorCode; reason: string; quotesValue?: boolean }

/** The error for an expression that has no value. */
export function failure(
  { source }: Evaluation,
  { start, end }: Span,
  failed: Failed,
): TemplateError {
  return new TemplateError(source, { ...failed, span: { start, end } })
}

/** The error for a value whose type the expression does not allow. */
export function wrongType(
  evaluation: Evaluation,
  span: Span,
  value: unknown,
  expected: string,
): TemplateError {
  const reason = `Couldn't match expected type '${expected}' with actual type '${jsonType(value)}'`
  return failure(evaluation, span, { code: 'Type Error', reason })
}
