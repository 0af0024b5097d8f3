import type { FragmentDefinitionNode, VariableDefinitionNode } from 'graphql'
import { EngineError } from '../errors.ts'
import type { FunctionArgument } from '../model/model.ts'
import type { SchemaContext } from '../schema/schema-context.ts'
import type { Decision, Variables } from './document/decision.ts'

/** What all functions share that plan one operation. */
export type Planner = {
  schema: SchemaContext
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  definitions: ReadonlyMap<string, VariableDefinitionNode>
  /** The request's variables with defaults; only `input.ts` reads them, and notes that in `decisions`. */
  variables: Variables
  /** The variables that the request itself gives. */
  sent: Variables
  decisions: Decision[]
  /** The arguments of functions that the request gives. */
  given: FunctionArgument[]
  /** Why the database refuses Hasura's statement for this operation: told when nothing else is wrong with it. */
  refusals: EngineError[]
}

/** The error for a part of the request that is wrong. */
export function validationError(path: string, message: string): EngineError {
  return new EngineError('validation-failed', message, { path })
}
