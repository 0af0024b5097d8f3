import type { Operation } from './operation.ts'

/** The operation with something wrong in its document, its variables or its name. */
export function malformed(operation: Operation, seed: number): Operation {
  const { body } = operation
  const { query, variables = {} } = body
  const tokens = query.match(TOKENS) ?? []
  const at = seed % Math.max(1, tokens.length)
  const spoil = (token: string) => withToken(tokens, at, token)
  const spoilt = [
    { ...body, query: spoil('') },
    { ...body, query: spoil(`${tokens[at]} ${tokens[at]}`) },
    { ...body, query: spoil('nope') },
    { ...body, query: spoil('"text"') },
    { ...body, query: spoil('null') },
    { ...body, query: spoil('@include(if: true)') },
    { ...body, query: spoil('12345678901') },
    { ...body, operationName: 'another' },
    { ...body, variables: { ...variables, unknown: 1 } },
    { query },
    { ...body, query: query.slice(0, query.length - 1 - (seed % 5)) },
    { ...body, query: `${query} ${query}` },
  ]
  return { ...operation, body: spoilt[seed % spoilt.length] ?? body }
}

const TOKENS = /[A-Za-z_$]\w*|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[^\s]/g

function withToken(tokens: readonly string[], at: number, token: string): string {
  return tokens.map((old, i) => (i === at ? token : old)).join(' ')
}
