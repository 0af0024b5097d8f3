import type { FunctionOperatorName } from '../../postgres/postgis-operators.ts'
import type { PageFact } from '../ir/ir.ts'
import type {
  Action,
  ActionRelationship,
  Column,
  ComputedField,
  FunctionArgument,
  NativeQuery,
  NativeRelationship,
  Relationship,
  RemoteRelationship,
  RemoteSchema,
  Table,
  TrackedFunction,
} from '../model/model.ts'
import type { RemoteInput, RemoteRoot } from '../model/remote-types.ts'
import type { OperatorName } from '../operators.ts'

/** The meaning of a field of the schema. From it, the planner knows how to plan the field. */
export type FieldMeaning =
  | { kind: 'select' | 'selectByPk' | 'selectAggregate' | 'selectStream'; table: Table }
  | { kind: 'insert' | 'insertOne' | 'delete' | 'deleteByPk'; table: Table }
  | { kind: 'update' | 'updateByPk' | 'updateMany'; table: Table }
  | { kind: 'function' | 'functionAggregate'; function: TrackedFunction }
  | { kind: 'nativeQuery'; query: NativeQuery }
  /** `mayBeNull` is true if the action may return null. */
  | { kind: 'action'; action: Action; mayBeNull: boolean }
  | { kind: 'asynchronousAction'; action: Action }
  | { kind: 'column'; column: Column }
  | { kind: 'relationship' | 'relationshipAggregate'; relationship: Relationship }
  | { kind: 'nativeRelationship'; relationship: NativeRelationship }
  | { kind: 'computedField'; field: ComputedField }
  | { kind: 'aggregate' | 'nodes' | 'count' }
  /** Pages of rows for Relay. */
  | { kind: 'connection'; table: Table }
  | { kind: 'functionConnection'; function: TrackedFunction }
  | { kind: 'relationshipConnection'; relationship: Relationship }
  | { kind: 'edges' | 'cursor' | 'edgeNode' | 'pageInfo' }
  | { kind: 'pageFact'; fact: PageFact }
  /** `node` is the row with a global ID; `nodeId` is the global ID of a row. */
  | { kind: 'node' | 'nodeId' }
  | { kind: 'aggregateFunction'; function: string }
  | { kind: 'aggregatedColumn'; column: Column | ComputedField }
  | { kind: 'affectedRows' | 'returning' }
  | { kind: 'plain' }
  /** The root field that contains the root fields of a source. */
  | { kind: 'namespace' }
  /** `__schema` and `__type`. */
  | { kind: 'introspection' }
  | { kind: 'actionRelationship'; relationship: ActionRelationship }
  /** A field of a remote schema by its original name; the engine sends the presets as arguments. */
  | { kind: 'remote'; name: string; presets: readonly RemoteInput[] }
  | { kind: 'remoteRoot'; schema: RemoteSchema; root: RemoteRoot; field: RemoteMeaning }
  /** A field that contains all root fields of a remote schema. */
  | { kind: 'remoteNamespace' }
  | { kind: 'remoteRelationship'; relationship: RemoteRelationship; field: RemoteMeaning | null }
  /** `no_queries_available`, the only field of an empty root. */
  | { kind: 'nothing' }

type RemoteMeaning = Extract<FieldMeaning, { kind: 'remote' }>

/** The meaning of a field of an input object. */
export type InputMeaning =
  | { kind: 'and' | 'or' | 'not' }
  | { kind: 'column'; column: Column }
  | { kind: 'relationship' | 'relationshipAggregate'; relationship: Relationship }
  | { kind: 'computedField' | 'computedFieldAggregate'; field: ComputedField }
  | { kind: 'operator'; operator: OperatorName }
  | { kind: 'functionOperator'; operator: FunctionOperatorName }
  | { kind: 'isNull' }
  | { kind: 'cast' }
  | { kind: 'count' }
  | { kind: 'aggregateFunction'; function: string }
  | { kind: 'argument'; argument: FunctionArgument }
  | { kind: 'plain' }
