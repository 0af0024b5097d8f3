import type { DocumentBounds } from '../../../../lib/runtime/graphql/document-size.ts'
import type { Config } from '../../config/config.ts'
import type { Session } from '../../session/session.ts'

/** Returns the limits of a session's documents. Callers without the admin secret have more and stricter limits. */
export function boundsOf({ basis }: Session, config: Config): DocumentBounds {
  return basis === 'secret' ? trustedBounds(config) : callerBounds(config)
}

function trustedBounds({ maxDocumentDepth, maxDocumentFields }: Config): DocumentBounds {
  return {
    maxBytes: Number.POSITIVE_INFINITY,
    maxDepth: maxDocumentDepth,
    maxValueDepth: Number.POSITIVE_INFINITY,
    maxFields: maxDocumentFields,
    maxValues: Number.POSITIVE_INFINITY,
    maxVariableBytes: Number.POSITIVE_INFINITY,
    maxSubqueries: Number.POSITIVE_INFINITY,
  }
}

function callerBounds(config: Config): DocumentBounds {
  return {
    maxBytes: config.callerMaxDocumentBytes,
    maxDepth: Math.min(config.maxDocumentDepth, config.callerMaxDocumentDepth),
    maxValueDepth: config.callerMaxDocumentDepth,
    maxFields: Math.min(config.maxDocumentFields, config.callerMaxDocumentFields),
    maxValues: config.callerMaxValues,
    maxVariableBytes: config.callerMaxVariableBytes,
    maxSubqueries: config.callerMaxSubqueries,
  }
}
