import { type EngineError, validationError } from '../../errors.ts'
import type { Parameter } from '../ir/ir.ts'
import type { InputValidation } from '../model/model.ts'
import type { Decision, Variables } from './decision.ts'
import type { RemoteJoin } from './sent-field.ts'

/** A webhook that validates input before the mutation's first statement. */
export type PlannedValidation = {
  webhook: InputValidation
  /** Returns the input, as the client sent it. */
  read(variables: Variables): unknown
}

/** The results of planning an operation, besides the plans of its root fields. */
export type CollectedNotes = {
  /** The facts about the variables that the plan depends on. The plan serves every request with the same facts. */
  decisions: readonly Decision[]
  /** True if the plan passes arguments of the request to functions. A function may reject its arguments. */
  givesArguments: boolean
  /** The remote relationships of the selected rows, by number. */
  joins: readonly RemoteJoin[]
  /**
   * The session variables that the changes need, in the order in which Hasura reads them. The first missing variable is
   * an error, even if the changes would change no row.
   */
  requiredSessionVariables: readonly Parameter[]
  /** The webhooks that validate the input of changes. */
  validations: readonly PlannedValidation[]
}

/** The notes on an operation. The planning functions only add notes; they do not read them. */
export type PlanNotes = {
  addDecision(decision: Decision): void
  /** Records that a function is called with `count` arguments of the request. */
  addArguments(count: number): void
  /**
   * Records an error for an operation that Hasura turns into a statement that PostgreSQL rejects. The error is thrown
   * only if the operation has no other fault.
   */
  addRefusal(error: EngineError): void
  addSessionVariables(parameters: readonly Parameter[]): void
  addValidation(validation: PlannedValidation): void
  /** Adds a join. @returns the number of the join */
  addJoin(join: RemoteJoin): number
  /**
   * Counts a part of a value that becomes a separate subquery or statement. In conditions and orders, these parts are
   * relationships, computed fields and aggregates. Each update of `update_<table>_many` counts, and each row of an
   * insert with nested rows. Too many parts would keep the engine, and then PostgreSQL's planner, busy for seconds.
   *
   * @throws validation-failed if there are too many
   */
  countSubquery(): void
  /**
   * Counts a selection on a member type of an interface or union. If such selections are nested, their number
   * multiplies.
   *
   * @throws validation-failed if there are too many
   */
  countMemberSelection(path: string): void
  /**
   * Returns the notes after planning.
   *
   * @throws the first refusal, if there is one
   */
  take(): CollectedNotes
}

const MAX_MEMBER_SELECTIONS = 10_000

export function createPlanNotes(maxSubqueries: number): PlanNotes {
  const decisions: Decision[] = []
  const requiredSessionVariables: Parameter[] = []
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
    addSessionVariables: (parameters) => void requiredSessionVariables.push(...parameters),
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
      return { decisions, givesArguments, joins, requiredSessionVariables, validations }
    },
  }
}
