import { EngineError } from '../../errors.ts'

/** The error for a document that is not valid GraphQL. */
export function unreadableDocument(why: string): EngineError {
  return new EngineError('validation-failed', `not a valid graphql query: ${why}`, {
    path: '$.query',
  })
}
