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
   * The request's variables with defaults. The plan must not depend on their values, except through `input.ts`, which
   * records each dependence as a decision. Other files read the values only to check or describe them.
   */
  readonly variables: Variables
  /** The request's variables without defaults. */
  readonly sentVariables: Variables
  readonly notes: PlanNotes
}
