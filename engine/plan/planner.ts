import type { FragmentDefinitionNode, VariableDefinitionNode } from 'graphql'
import { EngineError } from '../errors.ts'
import type { FunctionArgument } from '../model/model.ts'
import type { Context } from '../schema/context.ts'
import type { Decision, Variables } from './decision.ts'

/** What all of the planning of one operation shares. */
export type Planner = {
  schema: Context
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  definitions: ReadonlyMap<string, VariableDefinitionNode>
  /** The request's variables, defaults filled in; a look at them is a decision. */
  variables: Variables
  decisions: Decision[]
  /** The arguments of functions that the request gives. */
  given: FunctionArgument[]
}

/** Refuses the request, naming the part that is wrong. */
export function invalid(path: string, message: string): EngineError {
  return new EngineError('validation-failed', message, { path })
}
