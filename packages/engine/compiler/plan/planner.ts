import type { FragmentDefinitionNode, VariableDefinitionNode } from 'graphql'
import type { SchemaContext } from '../schema/schema-context.ts'
import type { Variables } from './decision.ts'
import type { PlanNotes } from './plan-notes.ts'

/** What all functions share that plan one operation: what is given, which no function changes, and the notes. */
export type Planner = {
  readonly schema: SchemaContext
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly definitions: ReadonlyMap<string, VariableDefinitionNode>
  /** The request's variables with defaults. Only `input.ts` reads them, and notes the decision that depends on them. */
  readonly variables: Variables
  /** The variables that the request itself gives. */
  readonly sent: Variables
  readonly notes: PlanNotes
}
