import {
  type FieldNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql/language/index.js'
import { EngineError } from '../../errors.ts'
import type { Root } from '../ir/ir.ts'
import type { RemoteSchema } from '../model/model.ts'
import {
  type Field,
  fieldsByName,
  type InputField,
  inputField,
  type ObjectType,
  objectField,
  requiredType,
} from '../schema/graphql-types.ts'
import type { RoleSchema } from '../schema/role-schema.ts'
import { NOTHING } from '../schema/root-fields.ts'
import { planMutation } from './change/mutation.ts'
import type { Operation } from './document/operation.ts'
import { checkFields } from './document/operation-size.ts'
import { objectTypeOf, type SelectedField, selectFields } from './document/selection-set.ts'
import { planFields } from './fields/fields.ts'
import { type CollectedNotes, createPlanNotes } from './plan-notes.ts'
import type { Planner } from './planner.ts'
import { planRemoteField } from './remote/remote-field.ts'
import { type ActionCall, planAction } from './root/action.ts'
import { planQuery } from './root/query.ts'
import { planStream, type Stream } from './root/stream.ts'
import type { SentField } from './sent-field.ts'
import type { Steps } from './steps.ts'

/** The plan of an operation: a part for each root field, in the order of the selection. */
export type Plan = CollectedNotes & {
  kind: 'query' | 'mutation' | 'subscription'
  parts: readonly PlanPart[]
}

/**
 * A root field. `source` is the name of its source, and `faultPath` is the path of the database's errors. `opens` is the
 * JSON text before the key `as`, and `closes` the JSON text after the value; together they put the field into a
 * namespace.
 */
export type PlanPart = { as: string; path: string; opens: string; closes: string } & PlannedPart

type PlannedPart =
  | { kind: 'database'; source: string; root: Root; faultPath: string }
  /** A list of values: from the database, or JSON texts that need no statement. */
  | { kind: 'databaseList'; source: string; roots: readonly (Root | string)[]; faultPath: string }
  | { kind: 'stream'; stream: Stream }
  | { kind: 'action'; call: ActionCall }
  | { kind: 'introspection'; node: FieldNode }
  | { kind: 'remote'; call: RemoteCall }
  /** A value that needs no statement, as JSON text. */
  | { kind: 'constant'; text: string }

/** A root field of a remote schema. Each of these fields is sent in a separate request. */
export type RemoteCall = { schema: RemoteSchema; root: 'query' | 'mutation'; field: SentField }

/** The variables of a request, and the limit on its subqueries. */
type RequestInput = Pick<Planner, 'variables' | 'sentVariables'> & { maxSubqueries: number }

/**
 * Plans an operation for a role. Each step plans a root field, reads a row to insert, or plans an update of a list. The
 * plan includes the role's permissions, so later stages do not need them.
 *
 * @throws EngineError that names the faulty part of the request
 */
export function* planOperation(
  schema: RoleSchema,
  operation: Operation,
  { variables, sentVariables, maxSubqueries }: RequestInput,
): Steps<Plan> {
  const { node, fragments } = operation
  const definitions = new Map(
    (node.variableDefinitions ?? []).map((d) => [d.variable.name.value, d]),
  )
  const planner: Planner = {
    schema: schema.context,
    fragments,
    definitions,
    variables,
    sentVariables,
    notes: createPlanNotes(maxSubqueries),
  }
  const root = rootType(schema, node.operation)
  const rootSelection = {
    type: withIntrospection(root),
    selections: [node.selectionSet],
    path: '$',
    kind: node.operation,
  }
  const parts = yield* planParts(planner, rootSelection)
  if (node.operation === 'subscription' && parts.length !== 1)
    throw new EngineError('validation-failed', 'subscriptions must select one top level field')
  const introspectionNodes = parts.flatMap((part) =>
    part.kind === 'introspection' ? part.node : [],
  )
  checkFields({ selectionSet: selectionSetOf(introspectionNodes), fragments }, INTROSPECTION_BOUNDS)
  const notes = planner.notes.take()
  if (node.operation === 'subscription' && notes.joins.length > 0)
    throw new EngineError('not-supported', 'Remote relationships are not allowed in subscriptions')
  return { kind: node.operation, parts, ...notes }
}

/**
 * The limits on the introspection fields of an operation. The largest introspection query of graphql-js has 230 fields.
 * The limit is low because each field may be resolved for every type of the schema.
 */
const INTROSPECTION_BOUNDS = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxFields: 1_000,
}

function rootType(schema: RoleSchema, kind: Plan['kind']): ObjectType {
  const root = schema[kind]
  if (root) return root
  const plural = kind === 'mutation' ? 'mutations' : 'subscriptions'
  throw new EngineError('validation-failed', `no ${plural} exist`)
}

/** Adds the fields that describe the schema to the query root. */
function withIntrospection(root: ObjectType): ObjectType {
  if (root.name !== 'query_root') return root
  const fields = new Map([...INTROSPECTION, ...root.fields()])
  return { ...root, fields: () => fields }
}

const STRING = { kind: 'scalar', name: 'String', description: null, type: null } as const

const INTROSPECTION = fieldsByName([
  introspectionField('__schema', []),
  introspectionField('__type', [inputField('name', requiredType(STRING))]),
])

/** Creates a field of the introspection system. `runtime/run/introspection/` checks and resolves everything inside it. */
function introspectionField(name: string, args: readonly InputField[]): Field {
  const type = { kind: 'object', name, description: null, fields: () => new Map() } as const
  return objectField(name, type, { kind: 'introspection' }, { args })
}

type RootSelection = { type: ObjectType; kind: Plan['kind'] } & Pick<
  SelectedField,
  'selections' | 'path'
>

/** Plans the root fields, or the fields of a namespace. */
function* planParts(planner: Planner, root: RootSelection): Steps<PlanPart[]> {
  const parts: PlanPart[] = []
  for (const selection of selectFields(planner, root)) {
    yield
    const { as, path, field } = selection
    const kind = field?.meaning.kind
    if (kind !== 'namespace' && kind !== 'remoteNamespace') {
      parts.push({
        as,
        path,
        opens: '',
        closes: '',
        ...(yield* planPart(planner, selection, root)),
      })
      continue
    }
    const namespaceParts = yield* planParts(planner, {
      ...root,
      ...selection,
      type: objectTypeOf(selection),
    })
    // A remote schema's namespace is left out if no field in it is selected, as in Hasura.
    if (kind === 'namespace' || namespaceParts.length > 0)
      parts.push(...insideNamespace(selection, namespaceParts))
  }
  return parts
}

/** Puts the text of a namespace around the values of its fields. */
function insideNamespace({ as, path }: SelectedField, parts: readonly PlanPart[]): PlanPart[] {
  if (parts.length === 0) return [{ as, path, opens: '', closes: '', ...constantPart('{}') }]
  const last = parts.length - 1
  return parts.map((part, i) => ({
    ...part,
    opens: i === 0 ? `${JSON.stringify(as)}:{${part.opens}` : part.opens,
    closes: i === last ? `${part.closes}}` : part.closes,
  }))
}

/** Plans a root field. */
function* planPart(
  planner: Planner,
  selection: SelectedField,
  { type, kind }: RootSelection,
): Steps<PlannedPart> {
  if (!selection.field) return constantPart(JSON.stringify(type.name))
  if (selection.field.meaning.kind === 'introspection')
    return { kind: 'introspection', node: mergedNode(selection) } as const
  if (selection.field.meaning.kind === 'nothing') return constantPart(JSON.stringify(NOTHING))
  const change = kind === 'mutation' ? yield* planMutation(planner, selection) : null
  if (change)
    return change.kind === 'constant' ? change : { ...change, faultPath: faultPathOf(selection) }
  const remote = planRemoteCall(planner, selection)
  if (remote) return { kind: 'remote', call: remote } as const
  const call = planAction(planner, selection)
  if (call) return { kind: 'action', call } as const
  const stream = planStream(planner, selection)
  if (stream) return { kind: 'stream', stream } as const
  const query = planQuery(planner, selection)
  if (query) {
    const root = { kind: 'select', shape: query.shape } as const
    return { kind: 'database', source: query.source.name, root, faultPath: '$' } as const
  }
  throw new EngineError('unexpected', `the field "${selection.field.name}" cannot be answered`)
}

/** Plans a root field of a remote schema; null for any other field. */
function planRemoteCall(planner: Planner, selection: SelectedField): RemoteCall | null {
  const meaning = selection.field?.meaning
  if (meaning?.kind !== 'remoteRoot') return null
  const { schema, root, field } = meaning
  const sentField = planRemoteField(planner, selection, { schema, ...field }, planFields)
  if (root !== 'subscription') return { schema, root, field: sentField }
  throw new EngineError('not-supported', 'subscription to remote server is not supported')
}

/** Merges the selections of all occurrences of a field. */
function mergedNode({ node, selections }: SelectedField): FieldNode {
  const all = selections.flatMap((set) => set.selections)
  return all.length === 0 ? node : { ...node, selectionSet: selectionSetOf(all) }
}

function selectionSetOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections }
}

/** Returns the path of errors from the database: for an insert, the path of its rows; otherwise `$`. */
function faultPathOf({ field, path }: SelectedField): string {
  if (field?.meaning.kind === 'insert') return `${path}.args.objects`
  return field?.meaning.kind === 'insertOne' ? `${path}.args.object` : '$'
}

function constantPart(text: string) {
  return { kind: 'constant', text } as const
}
