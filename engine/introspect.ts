import { execute, type FieldNode, type GraphQLSchema, Kind, OperationTypeNode } from 'graphql'
import { EngineError } from './errors.ts'
import { isRecord, type Variables } from './plan/decision.ts'
import type { Operation } from './plan/document.ts'

/** Answers `__schema` or `__type` as JSON text. */
export async function introspect(
  schema: GraphQLSchema,
  node: FieldNode,
  { operation, variables }: { operation: Operation; variables: Variables },
): Promise<string> {
  const definitions = operation.node.variableDefinitions ?? []
  const { data, errors } = await execute({
    schema,
    document: {
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation: OperationTypeNode.QUERY,
          // The other root fields' variables are of no interest here.
          variableDefinitions: definitions.filter(({ type }) => SCALARS.test(JSON.stringify(type))),
          selectionSet: { kind: Kind.SELECTION_SET, selections: [node] },
        },
        ...operation.fragments.values(),
      ],
    },
    variableValues: variables,
  })
  const [error] = errors ?? []
  if (error) throw new EngineError('validation-failed', error.message, { cause: error })
  return JSON.stringify(Object.values(data ?? {})[0] ?? null, sorted)
}

/** Hasura sorts everything; the enums of introspection itself come in graphql-js' order. */
function sorted(key: string, value: unknown): unknown {
  if (key !== 'enumValues' || !Array.isArray(value)) return value
  return value.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
}

function nameOf(value: unknown): string {
  return isRecord(value) ? String(value.name ?? '') : ''
}

const SCALARS = /"value":"(Boolean|String|Int)"/
