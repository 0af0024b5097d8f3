import {
  type FieldNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  TypeNameMetaFieldDef as TYPENAME,
} from 'graphql'
import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import type { Operation } from '../../../compiler/plan/document/operation.ts'
import { hasuraFact } from './hasura-facts.ts'

/** A field of the result, and how it is printed. */
export type SelectedField = {
  /** The key as JSON text, with its colon. */
  key: string
  /** Returns the field's value for `source`, from graphql-js. */
  resolve(source: unknown): unknown
  print: PrintFormat
  /** True if it contains a list, so that printing it may take long. */
  isLong: boolean
}

/** The way to print a value. */
export type PrintFormat =
  | { kind: 'leaf'; type: GraphQLLeafType }
  | { kind: 'object'; below: Selection }
  | { kind: 'list'; of: PrintFormat }

/** The fields that a document selects from an object type. */
export type Selection = {
  fields: readonly SelectedField[]
  /** True if one of the fields is long. */
  isLong: boolean
  /** The cached texts of printed types. */
  texts: Map<unknown, string>
}

/** The document that fields are selected from. */
export type SelectionContext = {
  schema: GraphQLSchema
  operation: Operation
  /** The coerced variables that introspection can use. */
  variables: Readonly<Record<string, unknown>>
}

type Meta = GraphQLField<unknown, unknown>

/** Selects a field with its selection. The document must have been checked (`checkMetaField`). */
export function selectField(
  nodes: readonly FieldNode[],
  field: Meta,
  { parent, context }: { parent: GraphQLObjectType; context: SelectionContext },
): SelectedField {
  const [node] = nodes
  const first = requireValue(node, 'a node of a field')
  const key = (first.alias ?? first.name).value
  const args = getArgumentValues(field, first, { ...context.variables })
  const info = infoOf({ nodes, key, field, parent, context })
  const resolve = requireValue(field.resolve, `the resolver of ${field.name}`)
  const print = formatOf(field.type, nodes, context)
  return {
    key: `${JSON.stringify(key)}:`,
    resolve: (source) => hasuraFact(field, source, resolve(source, args, null, info)),
    print,
    isLong: isLong(print),
  }
}

function formatOf(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  context: SelectionContext,
): PrintFormat {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return { kind: 'list', of: formatOf(nullable.ofType, nodes, context) }
  if (isObjectType(nullable)) return { kind: 'object', below: select(nullable, nodes, context) }
  if ('serialize' in nullable) return { kind: 'leaf', type: nullable }
  throw new TypeError(`introspection has no ${nullable.name}`)
}

function select(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  context: SelectionContext,
): Selection {
  const byKey = new Map<string, FieldNode[]>()
  for (const { selectionSet } of nodes)
    for (const selection of selectionSet?.selections ?? [])
      collectFields(selection, { type, context, byKey })
  const fields = [...byKey.values()].map((mergedNodes) => {
    const name = requireValue(mergedNodes[0], 'a node of a field').name.value
    const field = name === TYPENAME.name ? TYPENAME : type.getFields()[name]
    return selectField(mergedNodes, requireValue(field, `${type.name}.${name}`), {
      parent: type,
      context,
    })
  })
  return { fields, isLong: fields.some((field) => field.isLong), texts: new Map() }
}

/** Collects the fields of a selection by their keys in the result (GraphQL specification, section 6.3.2). */
function collectFields(
  selection: SelectionNode,
  target: { type: GraphQLObjectType; context: SelectionContext; byKey: Map<string, FieldNode[]> },
): void {
  const { type, context, byKey } = target
  if (!isIncluded(selection, context)) return
  if (selection.kind === Kind.FIELD) {
    const key = (selection.alias ?? selection.name).value
    const mergedNodes = byKey.get(key)
    if (mergedNodes) mergedNodes.push(selection)
    else byKey.set(key, [selection])
    return
  }
  const fragment =
    selection.kind === Kind.INLINE_FRAGMENT
      ? selection
      : context.operation.fragments.get(selection.name.value)
  const condition = fragment?.typeCondition?.name.value ?? type.name
  if (condition !== type.name) return
  for (const inner of fragment?.selectionSet.selections ?? []) collectFields(inner, target)
}

function isIncluded(selection: SelectionNode, { variables }: SelectionContext): boolean {
  if (selection.directives?.length === 0) return true
  const values = { ...variables }
  const isSkipped = getDirectiveValues(GraphQLSkipDirective, selection, values)?.if === true
  return !isSkipped && getDirectiveValues(GraphQLIncludeDirective, selection, values)?.if !== false
}

function isLong(print: PrintFormat): boolean {
  if (print.kind === 'list') return true
  return print.kind === 'object' && print.below.isLong
}

/** Creates the `info` argument of graphql-js's resolvers. */
function infoOf({
  nodes,
  key,
  field,
  parent,
  context: { schema, operation, variables },
}: {
  nodes: readonly FieldNode[]
  key: string
  field: Meta
  parent: GraphQLObjectType
  context: SelectionContext
}): GraphQLResolveInfo {
  return {
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType: parent,
    path: { prev: undefined, key, typename: parent.name },
    schema,
    fragments: Object.fromEntries(operation.fragments),
    rootValue: null,
    operation: operation.node,
    variableValues: variables,
  }
}
