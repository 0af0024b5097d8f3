import { CALLER_BOUNDS, type DocumentBounds } from '../../lib/graphql/document-size.ts'
import type { Config } from '../config.ts'
import type { Session } from '../session/session.ts'

/** The bounds of a session's documents: far smaller for those who do not have the admin secret. */
export function boundsOf({ restsOn }: Session, config: Config): DocumentBounds {
  return restsOn === 'secret' ? trustedBounds(config) : callerBounds(config)
}

function trustedBounds({ maxDocumentDepth, maxDocumentFields }: Config): DocumentBounds {
  return {
    maxBytes: Number.POSITIVE_INFINITY,
    maxDepth: maxDocumentDepth,
    maxFields: maxDocumentFields,
    maxValues: Number.POSITIVE_INFINITY,
    maxVariableBytes: Number.POSITIVE_INFINITY,
    maxSubqueries: Number.POSITIVE_INFINITY,
  }
}

function callerBounds(config: Config): DocumentBounds {
  return {
    maxBytes: config.callerMaxDocumentBytes,
    maxDepth: config.callerMaxDocumentDepth,
    maxFields: config.callerMaxDocumentFields,
    maxValues: config.callerMaxValues,
    maxVariableBytes: CALLER_BOUNDS.maxVariableBytes,
    maxSubqueries: CALLER_BOUNDS.maxSubqueries,
  }
}
