import type {
  Action,
  ActionRelationship,
  Column,
  ComputedField,
  FunctionArgument,
  NativeQuery,
  Relationship,
  Table,
  TrackedFunction,
} from '../model/model.ts'
import type { OperatorName } from '../postgres/operators.ts'

/** What a field of the schema stands for. Besides its type, it is all that the planner knows of a field. */
export type FieldMeaning =
  | { is: 'select' | 'selectByPk' | 'selectAggregate' | 'selectStream'; table: Table }
  | { is: 'insert' | 'insertOne' | 'delete' | 'deleteByPk'; table: Table }
  | { is: 'update' | 'updateByPk' | 'updateMany'; table: Table }
  | { is: 'function' | 'functionAggregate'; function: TrackedFunction }
  | { is: 'nativeQuery'; query: NativeQuery }
  | { is: 'action'; action: Action }
  | { is: 'asynchronousAction'; action: Action }
  | { is: 'column'; column: Column }
  | { is: 'relationship' | 'relationshipAggregate'; relationship: Relationship }
  | { is: 'computedField'; field: ComputedField }
  | { is: 'aggregate' | 'nodes' | 'count' }
  | { is: 'fold'; function: string }
  | { is: 'folded'; column: Column | ComputedField }
  | { is: 'affectedRows' | 'returning' }
  | { is: 'plain' }
  /** `__schema` and `__type`. */
  | { is: 'introspection' }
  | { is: 'actionRelationship'; relationship: ActionRelationship }
  /** `no_queries_available`, the one field of an empty root. */
  | { is: 'nothing' }

/** What a field of an input object stands for. */
export type InputMeaning =
  | { is: 'and' | 'or' | 'not' }
  | { is: 'column'; column: Column }
  | { is: 'relationship' | 'relationshipAggregate'; relationship: Relationship }
  | { is: 'computedField' | 'computedFieldAggregate'; field: ComputedField }
  | { is: 'operator'; operator: OperatorName }
  | { is: 'isNull' }
  | { is: 'cast' }
  | { is: 'count' }
  | { is: 'fold'; function: string }
  | { is: 'argument'; argument: FunctionArgument }
  | { is: 'plain' }
