import { isNumeral } from '../../../../../lib/runtime/exact-json.ts'
import { compareNumerals } from '../../../json/decimal.ts'
import { isList, isRecord } from '../../../json/record.ts'
import { parseScientificJson } from '../../../json/scientific.ts'
import { type Budget, COST, memberCount, spend, spendOnValue } from './budget.ts'

/** Returns the name of a value's type in Kriti's messages. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'Null'
  if (isNumeral(value)) return 'Number'
  if (isList(value)) return 'Array'
  if (typeof value === 'boolean') return 'Boolean'
  return typeof value === 'string' ? 'String' : 'Object'
}

/** The order of values of different types, as in aeson. */
const TYPE_ORDER = ['Object', 'Array', 'String', 'Number', 'Boolean', 'Null']

/** Compares two values. Returns a negative number if the left one comes first, 0 if they are equal. @throws BudgetExceeded */
export function compareValues(left: unknown, right: unknown, budget: Budget): number {
  spend(budget, COST.value + Math.min(memberCount(left), memberCount(right)))
  const [leftType, rightType] = [jsonType(left), jsonType(right)]
  if (leftType !== rightType) return TYPE_ORDER.indexOf(leftType) - TYPE_ORDER.indexOf(rightType)
  if (isNumeral(left) && isNumeral(right)) return compareNumerals(left, right)
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right)
  if (isList(left) && isList(right)) return compareLists(left, right, budget)
  if (isRecord(left) && isRecord(right))
    return compareLists(sortedEntries(left), sortedEntries(right), budget)
  return Number(left) - Number(right)
}

function compareLists(left: readonly unknown[], right: readonly unknown[], budget: Budget): number {
  for (const [index, item] of left.entries()) {
    if (index === right.length) return 1
    const order = compareValues(item, right[index], budget)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Compares texts by characters. JavaScript compares UTF-16 units, and a character can have two. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/** Returns the members of an object sorted by key, the order of aeson's objects. */
export function sortedEntries(value: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => compareTexts(a, b))
}

/** Converts a value to text: returns a text unchanged, and any other value as JSON like aeson's. @throws BudgetExceeded */
export function valueText(value: unknown, budget: Budget): string {
  if (typeof value === 'string') return value
  spendOnValue(budget, value)
  return JSON.stringify(parseScientificJson(JSON.stringify(sortKeys(value))))
}

function sortKeys(value: unknown): unknown {
  if (isList(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, sortKeys(item)]))
}
