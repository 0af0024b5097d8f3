import { type EngineError, validationError } from '../../errors.ts'
import type { Parameter } from '../ir/ir.ts'
import type { InputValidation } from '../model/model.ts'
import type { Decision, Variables } from './decision.ts'
import type { RemoteJoin } from './sent-field.ts'

/** A webhook that is asked before the mutation's first statement, and the input that it checks. */
export type PlannedValidation = {
  webhook: InputValidation
  /** The input, as the client sent it. */
  read(variables: Variables): unknown
}

/** What planning an operation finds out beside its tree. */
export type Noted = {
  /** What the plan has read from the variables. The plan serves every request in which these are the same. */
  decisions: readonly Decision[]
  /** Whether the plan passes arguments to functions, which may refuse them. */
  givesArguments: boolean
  /** The remote relationships of the rows that are read, by number. */
  joins: readonly RemoteJoin[]
  /**
   * The session variables that changes refer to, in the order in which Hasura reads them: the first that is missing is
   * reported, even if nothing is left to change.
   */
  needs: readonly Parameter[]
  /** The webhooks that are asked about the input of changes. */
  validations: readonly PlannedValidation[]
}

/** The notes on one operation. The functions that plan it add notes; none of them reads the notes of another. */
export type PlanNotes = {
  addDecision(decision: Decision): void
  /** Notes that a function is called with `count` arguments of the request. */
  addArguments(count: number): void
  /** Notes that the database refuses Hasura's statement. The error is thrown when nothing else is wrong with the operation. */
  addRefusal(error: EngineError): void
  addNeeds(parameters: readonly Parameter[]): void
  addValidation(validation: PlannedValidation): void
  /** @returns the number of the join */
  addJoin(join: RemoteJoin): number
  /**
   * Counts a part of a value that becomes a subquery or a statement of its own: a relation or an aggregate in a condition or
   * an order, an update of a list, a row with nested rows. Far more than the fields of an operation would keep the engine
   * busy for seconds, and PostgreSQL's planner after it.
   *
   * @throws validation-failed when there are too many
   */
  countSubquery(): void
  /**
   * Counts a selection that is planned for one of the types of an interface or union: nested selections multiply.
   *
   * @throws validation-failed when there are too many
   */
  countMemberSelection(path: string): void
  /**
   * Returns the notes, once the operation is planned.
   *
   * @throws the first refusal, if there is one
   */
  take(): Noted
}

const MAX_MEMBER_SELECTIONS = 10_000

export function createPlanNotes(maxSubqueries: number): PlanNotes {
  const decisions: Decision[] = []
  const needs: Parameter[] = []
  const validations: PlannedValidation[] = []
  const joins: RemoteJoin[] = []
  let refusal: EngineError | null = null
  let givesArguments = false
  let subqueries = 0
  let memberSelections = 0
  return {
    addDecision: (decision) => void decisions.push(decision),
    addArguments(count) {
      if (count > 0) givesArguments = true
    },
    addRefusal(error) {
      refusal ??= error
    },
    addNeeds: (parameters) => void needs.push(...parameters),
    addValidation: (validation) => void validations.push(validation),
    addJoin: (join) => joins.push(join) - 1,
    countSubquery() {
      subqueries += 1
      if (subqueries <= maxSubqueries) return
      const message = `the operation has too many subqueries: ${subqueries} > ${maxSubqueries}`
      throw validationError('$', message)
    },
    countMemberSelection(path) {
      memberSelections += 1
      if (memberSelections <= MAX_MEMBER_SELECTIONS) return
      throw validationError(path, 'the selections on interfaces and unions have too many types')
    },
    take() {
      if (refusal) throw refusal
      return { decisions, givesArguments, joins, needs, validations }
    },
  }
}
