import { EngineError } from '../../../errors.ts'

/** Creates the error for a document that is not valid GraphQL. It gives no reason, as in Hasura. */
export function unreadableDocument(cause?: unknown): EngineError {
  return new EngineError('validation-failed', 'not a valid graphql query', {
    path: '$.query',
    cause,
  })
}
