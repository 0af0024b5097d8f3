import { EngineError } from '../../errors.ts'
import { TemplateError } from './kriti/template-error.ts'

/** Runs the templates of a request or response. @throws unexpected, with the reason as internal details of the error */
export function fillTemplates<T>(transformName: 'Request' | 'Response', fill: () => T): T {
  try {
    return fill()
  } catch (cause) {
    throw transformationError(transformName, cause)
  }
}

function transformationError(transformName: string, cause: unknown): EngineError {
  const report =
    cause instanceof TemplateError
      ? cause.report
      : {
          error_code: 'TransformationError',
          message: cause instanceof Error ? cause.message : String(cause),
        }
  return new EngineError('unexpected', `${transformName} Transformation Failed`, {
    internal: [report],
    cause,
  })
}
