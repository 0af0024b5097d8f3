import { EngineError } from '../../errors.ts'
import { TemplateError } from './kriti/template-error.ts'

/** Runs the templates of a request or response. @throws unexpected, with a reason that only admin gets */
export function fillTemplates<T>(what: 'Request' | 'Response', fill: () => T): T {
  try {
    return fill()
  } catch (cause) {
    throw transformationError(what, cause)
  }
}

function transformationError(what: string, cause: unknown): EngineError {
  const report =
    cause instanceof TemplateError
      ? cause.report
      : {
          error_code: 'TransformationError',
          message: cause instanceof Error ? cause.message : String(cause),
        }
  return new EngineError('unexpected', `${what} Transformation Failed`, {
    internal: [report],
    cause,
  })
}
