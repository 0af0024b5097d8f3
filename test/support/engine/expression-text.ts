import type { Expression } from './reference.ts'

/** The expression as metadata and variables have it. */
export function json(expression: Expression): Record<string, unknown> {
  switch (expression.kind) {
    case 'and':
      return { _and: expression.parts.map(json) }
    case 'or':
      return { _or: expression.parts.map(json) }
    case 'not':
      return { _not: json(expression.part) }
    case 'compare': {
      const { column, operator, operand } = expression
      return { [column]: { [operator]: operand === 'session' ? 'X-Hasura-N' : operand } }
    }
    case 'related':
      return { [expression.link]: json(expression.part) }
  }
}

/** JSON as GraphQL writes it: keys without quotes. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${key}: ${literal(member)}`)
    .join(', ')}}`
}
