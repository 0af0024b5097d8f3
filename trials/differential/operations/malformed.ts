import type { Operation } from './operation.ts'

/** Damages the document, the variables or the name of an operation. */
export function malformed(operation: Operation, seed: number): Operation {
  const { body } = operation
  const { query, variables = {} } = body
  const tokens = query.match(TOKENS) ?? []
  const at = seed % Math.max(1, tokens.length)
  const replaceToken = (token: string) => withToken(tokens, at, token)
  const bodies = [
    { ...body, query: replaceToken('') },
    { ...body, query: replaceToken(`${tokens[at]} ${tokens[at]}`) },
    { ...body, query: replaceToken('nope') },
    { ...body, query: replaceToken('"text"') },
    { ...body, query: replaceToken('null') },
    { ...body, query: replaceToken('@include(if: true)') },
    { ...body, query: replaceToken('12345678901') },
    { ...body, operationName: 'another' },
    { ...body, variables: { ...variables, unknown: 1 } },
    { query },
    { ...body, query: query.slice(0, query.length - 1 - (seed % 5)) },
    { ...body, query: `${query} ${query}` },
  ]
  return { ...operation, body: bodies[seed % bodies.length] ?? body }
}

const TOKENS = /[A-Za-z_$]\w*|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[^\s]/g

function withToken(tokens: readonly string[], at: number, token: string): string {
  return tokens.map((old, i) => (i === at ? token : old)).join(' ')
}
