import { isList, isRecord } from '../../../json/record.ts'

/**
 * The remaining cost of one evaluation. Without a limit, nested loops over a caller's body could keep the process busy, or fill its
 * memory.
 */
export type Budget = { remaining: number }

/** The error for an evaluation that exceeds its budget. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
}

/** The costs of an evaluation. A character of a new text costs `characterMade`; any other character that is read or written costs 1. */
export const COST = { expression: 100, value: 5, characterMade: 10 } as const

/** Enough for a body of 50 MB, or for two million expressions: about one second. */
const MAX_COST = 200_000_000

/** Creates the budget of one evaluation. */
export function createBudget(): Budget {
  return { remaining: MAX_COST }
}

/** Subtracts the cost of some work before the work. @throws BudgetExceeded */
export function spend(budget: Budget, cost: number) {
  budget.remaining -= cost
  if (budget.remaining < 0) throw new BudgetExceeded('the template takes too much work')
}

/** Returns the length of a text, or the number of members of a list or object. */
export function memberCount(value: unknown): number {
  if (typeof value === 'string' || isList(value)) return value.length
  return isRecord(value) ? Object.keys(value).length : 1
}

/** Subtracts the cost of a value with all its members. @throws BudgetExceeded */
export function spendOnValue(budget: Budget, value: unknown) {
  spend(budget, COST.value + memberCount(value))
  if (isList(value)) for (const item of value) spendOnValue(budget, item)
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) {
      spend(budget, key.length)
      spendOnValue(budget, item)
    }
}
