import type { FragmentDefinitionNode, VariableDefinitionNode } from 'graphql'
import type { SchemaContext } from '../schema/schema-context.ts'
import type { Variables } from './decision.ts'
import type { PlanNotes } from './plan-notes.ts'

/** The state that all functions share while they plan an operation: the input, which does not change, and the notes. */
export type Planner = {
  readonly schema: SchemaContext
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly definitions: ReadonlyMap<string, VariableDefinitionNode>
  /**
   * The request's variables with defaults. Only `input.ts` reads them. It records a decision for each fact that the
   * plan depends on.
   */
  readonly variables: Variables
  /** The request's variables without defaults. */
  readonly sentVariables: Variables
  readonly notes: PlanNotes
}
