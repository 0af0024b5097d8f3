import {
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  getVariableValues,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import { CALLER_BOUNDS } from '../../../../../lib/runtime/graphql/document-size.ts'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { Variables } from '../../../compiler/plan/decision.ts'
import { type Operation, readOperation } from '../../../compiler/plan/document/operation.ts'
import { EngineError } from '../../../errors.ts'
import { type Compute, computeInSlices } from '../../callers/compute-in-slices.ts'
import { checkMetaField } from './check-selections.ts'
import { printField } from './print-value.ts'
import { type SelectedField, selectField } from './select-fields.ts'

/** The operation with the introspection, and its limits. */
export type IntrospectionRequest = {
  operation: Operation
  variables: Variables
  /** True if the size of the result is limited (see `MAX_SCHEMAS`). */
  isBounded: boolean
  /** The size of the operation's introspection results so far. */
  resultSize: ResultSize
  compute: Compute
}

export type ResultSize = { characters: number }

/**
 * The maximum size of an operation's introspection results, as a multiple of the whole schema. Tools read the whole schema once.
 * Without a limit, aliases could repeat the schema for each field of a document.
 */
const MAX_SCHEMAS = 2

/**
 * Answers `__schema` or `__type` as JSON text, in slices.
 *
 * @throws validation-failed for a wrong selection; query-too-costly if the operation's introspection results together are larger than
 *   `MAX_SCHEMAS` times the result of graphql-js's `getIntrospectionQuery`
 */
export async function answerIntrospection(
  schema: GraphQLSchema,
  node: FieldNode,
  { operation, variables, isBounded, resultSize, compute }: IntrospectionRequest,
): Promise<string> {
  const maxCharacters = isBounded
    ? MAX_SCHEMAS * (await wholeSchemaSize(schema, compute))
    : Number.POSITIVE_INFINITY
  const field = await compute(() => readField(schema, node, { operation, variables }))
  return printInSlices(field, { resultSize, maxCharacters, compute })
}

function readField(
  schema: GraphQLSchema,
  node: FieldNode,
  { operation, variables }: Pick<IntrospectionRequest, 'operation' | 'variables'>,
): SelectedField {
  const { fragments } = operation
  const name = node.name.value
  const field = name === SchemaMetaFieldDef.name ? SchemaMetaFieldDef : TypeMetaFieldDef
  checkMetaField(node, { field, path: `$.selectionSet.${name}`, lists: 0, fragments })
  const parent = requireValue(schema.getQueryType(), 'the query type')
  const context = { schema, operation, variables: scalarVariables(schema, operation, variables) }
  try {
    return selectField([node], field, { parent, context })
  } catch (thrown) {
    throw thrown instanceof GraphQLError ? wrongVariable(thrown) : thrown
  }
}

/** Returns the variables of the types Boolean, String and Int, because introspection can use only these variables. */
function scalarVariables(
  schema: GraphQLSchema,
  { node: { variableDefinitions = [] } }: Operation,
  variables: Variables,
): Variables {
  const scalars = variableDefinitions.filter(({ type }) => SCALARS.test(JSON.stringify(type)))
  const { coerced, errors } = getVariableValues(schema, scalars, variables)
  if (coerced) return coerced
  throw wrongVariable(requireValue(errors[0], 'an error of a variable'))
}

function wrongVariable(cause: GraphQLError): EngineError {
  return new EngineError('validation-failed', cause.message, { cause })
}

const SCALARS = /"value":"(Boolean|String|Int)"/

type Bound = { resultSize: ResultSize; maxCharacters: number; compute: Compute }

async function printInSlices(
  field: SelectedField,
  { resultSize, maxCharacters, compute }: Bound,
): Promise<string> {
  const count = (characters: number) => {
    resultSize.characters += characters
    if (resultSize.characters > maxCharacters) throw tooLarge(maxCharacters)
  }
  return computeInSlices(compute, (isSliceOver) => printField(field, null, { count, isSliceOver }))
}

function tooLarge(maxCharacters: number): EngineError {
  return new EngineError(
    'query-too-costly',
    `the introspection result would be larger than ${maxCharacters} characters, ${MAX_SCHEMAS} times the whole schema. Request fewer types, fields or aliases.`,
  )
}

/** Returns the number of characters in the result of `getIntrospectionQuery`. */
async function wholeSchemaSize(schema: GraphQLSchema, compute: Compute): Promise<number> {
  const cached = sizes.get(schema)
  if (cached !== undefined) return cached
  const resultSize = { characters: 0 }
  for (const node of WHOLE_SCHEMA.node.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) continue
    const field = readField(schema, node, { operation: WHOLE_SCHEMA, variables: {} })
    await printInSlices(field, { resultSize, maxCharacters: Number.POSITIVE_INFINITY, compute })
  }
  sizes.set(schema, resultSize.characters)
  return resultSize.characters
}

const sizes = new WeakMap<GraphQLSchema, number>()

const WHOLE_SCHEMA = readOperation(getIntrospectionQuery(), null, {
  ...CALLER_BOUNDS,
  maxDepth: Number.POSITIVE_INFINITY,
})
