import { isDeepStrictEqual } from 'node:util'
import { ownValue } from '../json/own-value.ts'
import { isList } from '../json/record.ts'
import { TemplateError } from './kriti-tokens.ts'

/** A compiled template, or a part of one: computes its value in a scope. */
export type Template = (scope: TemplateScope) => unknown

/** The values of a template's names. */
export type TemplateScope = Readonly<Record<string, unknown>>

/** An operator with two operands; `&&`, `||` and `??` evaluate the right one only if it is needed. */
export function binaryTemplate(operator: string, left: Template, right: Template): Template {
  const lazy = ownValue(LAZY, operator)
  if (lazy) return (scope) => lazy(left(scope), () => right(scope))
  const eager = ownValue(EAGER, operator)
  if (eager) return (scope) => eager(left(scope), right(scope))
  throw new TemplateError(`unknown operator ${operator}`)
}

const LAZY: Readonly<Record<string, (left: unknown, right: () => unknown) => unknown>> = {
  '??': (left, right) => left ?? right(),
  '&&': (left, right) => conditionHolds(left) && conditionHolds(right()),
  '||': (left, right) => conditionHolds(left) || conditionHolds(right()),
}

const EAGER: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  '==': isDeepStrictEqual,
  '!=': (left, right) => !isDeepStrictEqual(left, right),
  '>': (left, right) => compareOrdered(left, right) > 0,
  '<': (left, right) => compareOrdered(left, right) < 0,
  '>=': (left, right) => compareOrdered(left, right) >= 0,
  '<=': (left, right) => compareOrdered(left, right) <= 0,
  in: (left, right) =>
    isList(right)
      ? right.some((item) => isDeepStrictEqual(item, left))
      : typeof left === 'string' && Object.hasOwn(asObject(right), left),
}

/** Whether a condition holds. @throws TemplateError if its value is not a boolean */
export function conditionHolds(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new TemplateError('a condition is neither true nor false')
}

function compareOrdered(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string')
    return left < right ? -1 : Number(left > right)
  throw new TemplateError('only two numbers or two texts have an order')
}

/** Kriti's functions of one argument. */
export const FUNCTIONS: ReadonlyMap<string, (argument: unknown, scope: TemplateScope) => unknown> =
  new Map<string, (argument: unknown, scope: TemplateScope) => unknown>([
    ['not', (argument) => !conditionHolds(argument)],
    ['empty', (argument) => argument === null || valueSize(argument) === 0],
    ['size', valueSize],
    ['inverse', inverseOf],
    ['head', (argument) => asList(argument)[0] ?? null],
    ['tail', (argument) => asList(argument).slice(1)],
    ['concat', concatenateItems],
    ['toLower', (argument) => asText(argument).toLowerCase()],
    ['toCaseFold', (argument) => asText(argument).toLowerCase()],
    ['toUpper', (argument) => asText(argument).toUpperCase()],
    [
      'toTitle',
      (argument) => asText(argument).replace(/\b\p{L}/gu, (letter) => letter.toUpperCase()),
    ],
    ['escapeUri', (argument) => encodeURIComponent(asText(argument))],
    [
      'fromObject',
      (argument) => Object.entries(asObject(argument)).map(([key, value]) => ({ key, value })),
    ],
    [
      'toObject',
      (argument) =>
        Object.fromEntries(
          asList(argument)
            .map(asObject)
            .map(({ key, value }) => [key, value]),
        ),
    ],
    [
      'removeNulls',
      (argument) =>
        isList(argument)
          ? argument.filter((item) => item !== null)
          : Object.fromEntries(
              Object.entries(asObject(argument)).filter(([, value]) => value !== null),
            ),
    ],
    [
      'getSessionVariable',
      (argument, { $session_variables }) =>
        asObject($session_variables)[asText(argument).toLowerCase()] ?? null,
    ],
  ])

function valueSize(argument: unknown): number {
  if (typeof argument === 'string' || Array.isArray(argument)) return argument.length
  return typeof argument === 'number' ? argument : Object.keys(asObject(argument)).length
}

function inverseOf(argument: unknown): unknown {
  if (typeof argument === 'boolean') return !argument
  if (typeof argument === 'string') return [...argument].reverse().join('')
  return typeof argument === 'number' ? 1 / argument : asList(argument).toReversed()
}

function concatenateItems(argument: unknown): unknown {
  const items = asList(argument)
  if (items.every((item) => typeof item === 'string')) return items.join('')
  return items.every(Array.isArray) ? items.flat() : Object.assign({}, ...items.map(asObject))
}

function asList(value: unknown): readonly unknown[] {
  if (isList(value)) return value
  throw new TemplateError('not a list')
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TemplateError('not a text')
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value))
  }
  throw new TemplateError('not an object')
}
