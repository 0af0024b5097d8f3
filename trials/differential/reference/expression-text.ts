import type { Expression } from './reference.ts'

/** Writes an expression as the JSON of metadata and variables. */
export function expressionJson(expression: Expression): Record<string, unknown> {
  switch (expression.kind) {
    case 'and':
      return { _and: expression.parts.map(expressionJson) }
    case 'or':
      return { _or: expression.parts.map(expressionJson) }
    case 'not':
      return { _not: expressionJson(expression.part) }
    case 'compare': {
      const { column, operator, operand } = expression
      return { [column]: { [operator]: operand === 'session' ? 'X-Hasura-N' : operand } }
    }
    case 'related':
      return { [expression.link]: expressionJson(expression.part) }
  }
}
