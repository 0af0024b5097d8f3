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
import { objectTypeOf, type Selected, selectFields } from './document/selection-set.ts'
import { planFields } from './fields/fields.ts'
import { createPlanNotes, type Noted } from './plan-notes.ts'
import type { Planner } from './planner.ts'
import { planRemoteField } from './remote/remote-field.ts'
import { type ActionCall, planAction } from './root/action.ts'
import { planQuery } from './root/query.ts'
import { planStream, type Stream } from './root/stream.ts'
import type { SentField } from './sent-field.ts'
import type { Steps } from './steps.ts'

/** What an operation means: one part per root field, in the order of the selection. */
export type Plan = Noted & {
  kind: 'query' | 'mutation' | 'subscription'
  parts: readonly PlanPart[]
}

/**
 * One root field; `source` is the name of the one that answers it, `faultPath` the path of errors that its database reports. `opens` and `closes` are the parts of the
 * answer's text around it that belong to a namespace.
 */
export type PlanPart = { as: string; path: string; opens: string; closes: string } & PlannedPart

type PlannedPart =
  | { kind: 'database'; source: string; root: Root; faultPath: string }
  /** A list of answers: from the database, or JSON texts that are known already. */
  | { kind: 'databaseList'; source: string; roots: readonly (Root | string)[]; faultPath: string }
  | { kind: 'stream'; stream: Stream }
  | { kind: 'action'; call: ActionCall }
  | { kind: 'introspection'; node: FieldNode }
  | { kind: 'remote'; call: RemoteCall }
  /** An answer that is known already, as JSON text. */
  | { kind: 'known'; text: string }

/** One root field of a remote schema, which is asked for in a request of its own. */
export type RemoteCall = { schema: RemoteSchema; root: 'query' | 'mutation'; field: SentField }

/** What a request gives beside its document, and how much may come of it. */
type Given = Pick<Planner, 'variables' | 'sent'> & { maxSubqueries: number }

/**
 * Plans an operation for a role, a root field or a row in each step. The plan contains the role's permissions, so later stages need not know them.
 *
 * @throws EngineError naming the part of the request that is wrong
 */
export function* planOperation(
  schema: RoleSchema,
  operation: Operation,
  { variables, sent, maxSubqueries }: Given,
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
    sent,
    notes: createPlanNotes(maxSubqueries),
  }
  const root = rootType(schema, node.operation)
  const selected = {
    type: withIntrospection(root),
    selections: [node.selectionSet],
    path: '$',
    kind: node.operation,
  }
  const parts = yield* planParts(planner, selected)
  if (node.operation === 'subscription' && parts.length !== 1)
    throw new EngineError('validation-failed', 'subscriptions must select one top level field')
  const looks = parts.flatMap((part) => (part.kind === 'introspection' ? part.node : []))
  checkFields({ selectionSet: selectionSetOf(looks), fragments }, INTROSPECTION_BOUNDS)
  const noted = planner.notes.take()
  if (node.operation === 'subscription' && noted.joins.length > 0)
    throw new EngineError('not-supported', 'Remote relationships are not allowed in subscriptions')
  return { kind: node.operation, parts, ...noted }
}

/**
 * Five times what tools send. The bound is low because each field may be answered for every type of the schema.
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

/** The query root with the fields that describe the schema itself. */
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

/** A field of the introspection system: graphql-js answers everything below it. */
function introspectionField(name: string, args: readonly InputField[]): Field {
  const type = { kind: 'object', name, description: null, fields: () => new Map() } as const
  return objectField(name, type, { kind: 'introspection' }, { args })
}

type Rooted = { type: ObjectType; kind: Plan['kind'] } & Pick<Selected, 'selections' | 'path'>

/** Plans root fields, or those of a namespace. */
function* planParts(planner: Planner, rooted: Rooted): Steps<PlanPart[]> {
  const parts: PlanPart[] = []
  for (const one of selectFields(planner, rooted)) {
    yield
    const { as, path, field } = one
    const kind = field?.meaning.kind
    if (kind !== 'namespace' && kind !== 'remoteNamespace') {
      parts.push({ as, path, opens: '', closes: '', ...(yield* planPart(planner, one, rooted)) })
      continue
    }
    const inside = yield* planParts(planner, { ...rooted, ...one, type: objectTypeOf(one) })
    // As in Hasura, that of a remote schema is not answered if nothing is selected of it.
    if (kind === 'namespace' || inside.length > 0) parts.push(...insideNamespace(one, inside))
  }
  return parts
}

/** Puts the text of a namespace around the answers of its fields. */
function insideNamespace({ as, path }: Selected, parts: readonly PlanPart[]): PlanPart[] {
  if (parts.length === 0) return [{ as, path, opens: '', closes: '', ...knownPart('{}') }]
  const last = parts.length - 1
  return parts.map((part, i) => ({
    ...part,
    opens: i === 0 ? `${JSON.stringify(as)}:{${part.opens}` : part.opens,
    closes: i === last ? `${part.closes}}` : part.closes,
  }))
}

/** Plans one root field. */
function* planPart(planner: Planner, one: Selected, { type, kind }: Rooted): Steps<PlannedPart> {
  if (!one.field) return knownPart(JSON.stringify(type.name))
  if (one.field.meaning.kind === 'introspection')
    return { kind: 'introspection', node: mergedNode(one) } as const
  if (one.field.meaning.kind === 'nothing') return knownPart(JSON.stringify(NOTHING))
  const changed = kind === 'mutation' ? yield* planMutation(planner, one) : null
  if (changed)
    return changed.kind === 'known' ? changed : { ...changed, faultPath: faultPathOf(one) }
  const remote = planRemoteCall(planner, one)
  if (remote) return { kind: 'remote', call: remote } as const
  const call = planAction(planner, one)
  if (call) return { kind: 'action', call } as const
  const stream = planStream(planner, one)
  if (stream) return { kind: 'stream', stream } as const
  const read = planQuery(planner, one)
  if (read) {
    const root = { kind: 'select', shape: read.shape } as const
    return { kind: 'database', source: read.source.name, root, faultPath: '$' } as const
  }
  throw new EngineError('unexpected', `the field "${one.field.name}" cannot be answered`)
}

/** Plans a root field of a remote schema; null if the field does something else. */
function planRemoteCall(planner: Planner, one: Selected): RemoteCall | null {
  const meaning = one.field?.meaning
  if (meaning?.kind !== 'remoteRoot') return null
  const { schema, root, field } = meaning
  const planned = planRemoteField(planner, one, { schema, ...field }, planFields)
  if (root !== 'subscription') return { schema, root, field: planned }
  throw new EngineError('not-supported', 'subscription to remote server is not supported')
}

/** The field with the selections of all its occurrences merged. */
function mergedNode({ node, selections }: Selected): FieldNode {
  const all = selections.flatMap((set) => set.selections)
  return all.length === 0 ? node : { ...node, selectionSet: selectionSetOf(all) }
}

function selectionSetOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections }
}

/** The path of errors that the database reports: for an insert, its rows. */
function faultPathOf({ field, path }: Selected): string {
  if (field?.meaning.kind === 'insert') return `${path}.args.objects`
  return field?.meaning.kind === 'insertOne' ? `${path}.args.object` : '$'
}

function knownPart(text: string) {
  return { kind: 'known', text } as const
}
