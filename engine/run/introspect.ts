import {
  execute,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  Kind,
  OperationTypeNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { present } from '../../lib/present.ts'
import { EngineError } from '../errors.ts'
import { ownValue } from '../json/own-value.ts'
import { isList, isRecord } from '../json/record.ts'
import type { Variables } from '../plan/document/decision.ts'
import type { Operation } from '../plan/document/operation.ts'
import { validationError } from '../plan/planner.ts'

/** Answers `__schema` or `__type` as JSON text. */
export async function answerIntrospection(
  schema: GraphQLSchema,
  node: FieldNode,
  { operation, variables }: { operation: Operation; variables: Variables },
): Promise<string> {
  const { fragments } = operation
  const name = node.name.value
  const place = { field: META[name], path: `$.selectionSet.${name}` }
  checkMetaField(node, { ...place, lists: 0, fragments })
  const definitions = operation.node.variableDefinitions ?? []
  const { data, errors } = await execute({
    schema,
    document: {
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation: OperationTypeNode.QUERY,
          // Introspection takes only built-in scalars: other variables belong to the other root fields.
          variableDefinitions: definitions.filter(({ type }) => SCALARS.test(JSON.stringify(type))),
          selectionSet: { kind: Kind.SELECTION_SET, selections: [node] },
        },
        ...fragments.values(),
      ],
    },
    variableValues: variables,
  })
  const [error] = errors ?? []
  if (error) throw new EngineError('validation-failed', error.message, { cause: error })
  const [answer] = Object.values(present(data, 'the data of an answer without errors'))
  return JSON.stringify(answer, asHasuraAnswers)
}

const META: Readonly<Record<string, GraphQLField<unknown, unknown>>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
}

type Place = {
  field: GraphQLField<unknown, unknown> | undefined
  path: string
  /** How many of `LISTS` it is in. */
  lists: number
  fragments: Operation['fragments']
}

/** Lists that multiply the size of the answer when they are nested in one another. */
const LISTS: ReadonlySet<string> = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes'])
const MAX_NESTED_LISTS = 2

/** Refuses unknown fields at any depth, since graphql-js executes a document without validating it. */
function checkMetaField(node: FieldNode, { field, path, lists, fragments }: Place): void {
  const { selectionSet } = node
  if (!field) return
  const within = LISTS.has(field.name) ? lists + 1 : lists
  if (within > MAX_NESTED_LISTS) throw validationError(path, 'introspection is nested too deeply')
  const given = (node.arguments ?? []).map((argument) => argument.name.value)
  const other = given.find((name) => !field.args.some((argument) => argument.name === name))
  if (other !== undefined)
    throw validationError(path, `'${field.name}' has no argument named '${other}'`)
  const missing = field.args.find((arg) => isRequiredArgument(arg) && !given.includes(arg.name))
  if (missing)
    throw validationError(
      `${path}.args.${missing.name}`,
      `missing required field '${missing.name}'`,
    )
  const type = getNamedType(field.type)
  if (isObjectType(type))
    checkMetaSelections(type, selectionSet, { path, lists: within, fragments })
  else if (selectionSet)
    throw validationError(path, 'unexpected subselection set for non-object field')
}

function checkMetaSelections(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  { path, lists, fragments }: Omit<Place, 'field'>,
): void {
  const inside = `${path}.selectionSet`
  if (!selectionSet) throw validationError(inside, `missing selection set for '${type.name}'`)
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value
      if (name === '__typename') continue
      const field = ownValue(type.getFields(), name)
      const below = `${inside}.${name}`
      if (!field) throw validationError(below, `field '${name}' not found in type: '${type.name}'`)
      checkMetaField(selection, { field, path: below, lists, fragments })
      continue
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
    const condition = fragment?.typeCondition?.name.value ?? type.name
    if (condition === type.name)
      checkMetaSelections(type, fragment?.selectionSet, { path, lists, fragments })
  }
}

/**
 * Hasura sorts everything; graphql-js does not sort the values of introspection's own enums. For Hasura only objects
 * implement interfaces; for graphql-js interfaces do, too, and have a list of none.
 */
function asHasuraAnswers(key: string, value: unknown): unknown {
  if (isRecord(value) && value.kind === 'INTERFACE' && Object.hasOwn(value, 'interfaces'))
    return { ...value, interfaces: null }
  if (key === 'args' && isList(value)) return withOrderTwice(value)
  if (key !== 'enumValues' || !isList(value)) return value
  return value.toSorted((a, b) => (memberName(a) < memberName(b) ? -1 : 1))
}

/** Hasura lists `order_by` of a connection twice, because it reads it once more for the cursors. */
function withOrderTwice(args: readonly unknown[]): readonly unknown[] {
  const names = args.map(memberName)
  if (!names.includes('after') || !names.includes('before')) return args
  return args.flatMap((arg) => (memberName(arg) === 'order_by' ? [arg, arg] : [arg]))
}

function memberName(value: unknown): string {
  return isRecord(value) ? String(value.name ?? '') : ''
}

const SCALARS = /"value":"(Boolean|String|Int)"/
