import { isList, isRecord } from '../../../json/record.ts'

/**
 * What one evaluation may still cost. Loops in loops would otherwise keep the process busy, or fill its memory, for a
 * body that a caller has chosen.
 */
export type Budget = { left: number }

/** The evaluation of a template costs more than a template may. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
}

/** A character that is read or written costs 1. */
export const COST = { expression: 100, value: 5, characterMade: 10 } as const

/** Enough for a body of 50 MB, and for two million expressions; a second, roughly. */
const MAX_COST = 200_000_000

/** A budget for one evaluation. */
export function createBudget(): Budget {
  return { left: MAX_COST }
}

/** Pays for some work before it is done. @throws BudgetExceeded */
export function spend(budget: Budget, cost: number) {
  budget.left -= cost
  if (budget.left < 0) throw new BudgetExceeded('the template takes too much work')
}

/** A text costs its length, a list or an object its number of members. */
export function memberCount(value: unknown): number {
  if (typeof value === 'string' || isList(value)) return value.length
  return isRecord(value) ? Object.keys(value).length : 1
}

/** Pays for everything in a value, as often as it is in it. @throws BudgetExceeded */
export function spendOnValue(budget: Budget, value: unknown) {
  spend(budget, COST.value + memberCount(value))
  if (isList(value)) for (const item of value) spendOnValue(budget, item)
  else if (isRecord(value))
    for (const [key, item] of Object.entries(value)) {
      spend(budget, key.length)
      spendOnValue(budget, item)
    }
}
