import { ExplainedFault } from '../../../../../lib/runtime/log/explained-fault.ts'

/** The text of a template, and the name of the setting that contains it, such as `query_params`. */
export type TemplateSource = { name: string; text: string }

/** A part of a template, as offsets into its text. `end` is the offset after the last character. */
export type Span = { start: number; end: number }

/** Kriti's names for its errors. `Limit Error` is for a limit of this engine, and `TransformationError` is Hasura's. */
export type TemplateErrorCode =
  | 'Lex Error'
  | 'Parse Error'
  | 'Attribute Error'
  | 'Name Error'
  | 'Type Error'
  | 'Index Error'
  | 'Function Error'
  | 'Limit Error'
  | 'TransformationError'

type ErrorDetails = {
  code: TemplateErrorCode
  reason: string
  /** Absent for an error of the whole template. */
  span?: Span
  /** True if the reason quotes a value, which the log must not contain. */
  quotesValue?: boolean
  cause?: unknown
}

/**
 * The report of an error, for the `internal` part of the client's error, as in Hasura. Lines count from 0, columns from 1.
 * `end_column` is after the last character.
 */
export type TemplateErrorReport = {
  error_code: TemplateErrorCode
  message: string
  source_position?: {
    start_line: number
    start_column: number
    end_line: number
    end_column: number
  }
}

/** The error for a template that cannot be parsed, or cannot be evaluated with its values. */
export class TemplateError extends ExplainedFault {
  override readonly name = 'TemplateError'
  readonly report: TemplateErrorReport

  constructor(
    source: TemplateSource,
    { code, reason, span, quotesValue = false, cause }: ErrorDetails,
  ) {
    const start = span && positionOf(source.text, span.start)
    const end = span && positionOf(source.text, span.end)
    const place = start ? { line: start.line + 1, column: start.column } : {}
    const loggedReason = quotesValue ? {} : { reason }
    super(
      start
        ? `${source.name}: ${reason} at line ${start.line + 1}, column ${start.column}`
        : `${source.name}: ${reason}`,
      { error_code: code, template: source.name, ...place, ...loggedReason },
      { cause },
    )
    this.report = { error_code: code, message: reason }
    if (start && end)
      this.report.source_position = {
        start_line: start.line,
        start_column: start.column,
        end_line: end.line,
        end_column: end.column,
      }
  }
}

/** Converts an offset to a line and column. Like Kriti, counts characters, not UTF-16 units. */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split('\n')
  return { line: lines.length - 1, column: [...(lines.at(-1) ?? '')].length + 1 }
}
