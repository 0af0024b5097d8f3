import type { Request } from 'express'
import { parseExactJson } from '../../lib/runtime/exact-json.ts'
import { bodyBytes } from '../../lib/runtime/web/source.ts'
import { type Refusal, refusal } from './judge-request.ts'

/** The JSON of a GraphQL request, or the response that refuses the request. */
type ReadResult = { json: unknown } | { refusal: Refusal }

/**
 * Reads a GraphQL request: the body of a POST, or the query string of a GET with `variables` and `extensions` as JSON.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-GET
 */
export function readGraphql(request: Request): ReadResult {
  try {
    return { json: isPost(request) ? parseBody(request) : parseUrl(request) }
  } catch {
    const message = isPost(request)
      ? 'the body is not JSON in UTF-8'
      : 'variables and extensions must be JSON'
    return { refusal: refusal('invalid-json', { path: '$', message }) }
  }
}

function isPost({ method }: Request): boolean {
  return method === 'POST'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseBody(request: Request): unknown {
  return parseExactJson(utf8.decode(bodyBytes(request) ?? undefined))
}

/** Reads the query string. If a parameter occurs several times, the first counts. */
function parseUrl({ originalUrl }: Request): object {
  const { searchParams } = new URL(originalUrl, 'http://localhost')
  const texts = ['query', 'operationName'].map((name) => [name, searchParams.get(name)] as const)
  const values = ['variables', 'extensions'].map((name) => {
    const text = searchParams.get(name)
    return [name, text ? parseExactJson(text) : null] as const
  })
  return Object.fromEntries([...texts, ...values].filter(([, value]) => value !== null))
}
