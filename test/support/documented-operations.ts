import { Kind, type OperationDefinitionNode, parse } from 'graphql'
import { z } from 'zod'

export type DocumentedOperation = {
  name: string
  kind: OperationDefinitionNode['operation']
  query: string
  variables: Record<string, unknown>
}

const Variables = z.record(z.string(), z.unknown())

/** Reads the GraphQL operations of a Markdown page. A JSON block right after an operation holds its variables. */
export function readDocumentedOperations(markdown: string): DocumentedOperation[] {
  const blocks = markdown.matchAll(/```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?/gs)
  return [...blocks].map(([, query = '', variables = '{}']) => {
    const [definition] = parse(query).definitions
    if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`No operation: ${query}`)
    return {
      name: definition.name?.value ?? '',
      kind: definition.operation,
      query,
      variables: Variables.parse(JSON.parse(variables)),
    }
  })
}
