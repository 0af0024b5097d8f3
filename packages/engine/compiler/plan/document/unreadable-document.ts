import { EngineError } from '../../../errors.ts'

/** The error for a document that is not valid GraphQL. As in Hasura, it does not say why. */
export function unreadableDocument(cause?: unknown): EngineError {
  return new EngineError('validation-failed', 'not a valid graphql query', {
    path: '$.query',
    cause,
  })
}
