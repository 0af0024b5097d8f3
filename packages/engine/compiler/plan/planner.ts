import type { FragmentDefinitionNode, VariableDefinitionNode } from 'graphql'
import { EngineError } from '../../errors.ts'
import type { Parameter } from '../ir/ir.ts'
import type { FunctionArgument, InputValidation } from '../model/model.ts'
import type { SchemaContext } from '../schema/schema-context.ts'
import type { Decision, Variables } from './document/decision.ts'
import type { RemoteJoin } from './remote/sent-field.ts'

/** A webhook that is asked before the mutation's first statement, and what it is told. */
export type PlannedValidation = {
  webhook: InputValidation
  /** The input, as the client gave it. */
  read(variables: Variables): unknown
}

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
  /**
   * The session variables that changes refer to, in the order in which Hasura reads them: of several that are missing the
   * first is told, even if nothing is left to change.
   */
  needs: Parameter[]
  /** The webhooks that are asked about the input of changes. */
  validations: PlannedValidation[]
  /** The remote relationships of the rows that are read, by number. */
  joins: RemoteJoin[]
  /** How many selections the possible types of interfaces and unions have been given so far. */
  memberSelections: number
  /** How many subqueries and statements the values of the request have asked for so far. */
  subqueries: number
  maxSubqueries: number
}

/**
 * Counts a part of a value that becomes a subquery or a statement of its own: a relation or an aggregate in a condition or
 * an order, an update of a list, a row with nested rows. Far more than the fields of an operation would keep the engine
 * busy for seconds, and PostgreSQL's planner after it.
 *
 * @throws validation-failed when there are too many
 */
export function countSubquery(planner: Planner): void {
  planner.subqueries += 1
  const { subqueries, maxSubqueries } = planner
  if (subqueries <= maxSubqueries) return
  const message = `the operation has too many subqueries: ${subqueries} > ${maxSubqueries}`
  throw validationError('$', message)
}

/**
 * Counts a selection that is planned for one of the types of an interface or union: these are multiplied where they are nested in
 * one another.
 *
 * @throws validation-failed when there are too many
 */
export function countMemberSelection(planner: Planner, path: string): void {
  planner.memberSelections += 1
  if (planner.memberSelections <= MAX_MEMBER_SELECTIONS) return
  throw validationError(path, 'the selections on interfaces and unions have too many types')
}

const MAX_MEMBER_SELECTIONS = 10_000

/** The error for a part of the request that is wrong. */
export function validationError(path: string, message: string): EngineError {
  return new EngineError('validation-failed', message, { path })
}
