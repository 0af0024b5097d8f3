import { isDeepStrictEqual } from 'node:util'
import { own } from '../json/own.ts'
import { TemplateError } from './tokens.ts'

/** A compiled template, or a part of one: computes its value in a scope. */
export type Template = (scope: Scope) => unknown

/** The values of a template's names. */
export type Scope = Readonly<Record<string, unknown>>

/** An operator with two operands; `&&`, `||` and `??` evaluate the right one only if it is needed. */
export function binary(operator: string, left: Template, right: Template): Template {
  const lazy = own(LAZY, operator)
  if (lazy) return (scope) => lazy(left(scope), () => right(scope))
  const eager = own(EAGER, operator)
  if (eager) return (scope) => eager(left(scope), right(scope))
  throw new TemplateError(`unknown operator ${operator}`)
}

const LAZY: Readonly<Record<string, (left: unknown, right: () => unknown) => unknown>> = {
  '??': (left, right) => left ?? right(),
  '&&': (left, right) => truth(left) && truth(right()),
  '||': (left, right) => truth(left) || truth(right()),
}

const EAGER: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  '==': isDeepStrictEqual,
  '!=': (left, right) => !isDeepStrictEqual(left, right),
  '>': (left, right) => compare(left, right) > 0,
  '<': (left, right) => compare(left, right) < 0,
  '>=': (left, right) => compare(left, right) >= 0,
  '<=': (left, right) => compare(left, right) <= 0,
  in: (left, right) =>
    Array.isArray(right)
      ? right.some((item) => isDeepStrictEqual(item, left))
      : typeof left === 'string' && Object.hasOwn(record(right), left),
}

/** Whether a condition holds. @throws TemplateError if its value is not a boolean */
export function truth(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new TemplateError('a condition is neither true nor false')
}

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string')
    return left < right ? -1 : Number(left > right)
  throw new TemplateError('only two numbers or two texts have an order')
}

/** Kriti's functions of one argument. */
export const FUNCTIONS: ReadonlyMap<string, (argument: unknown, scope: Scope) => unknown> = new Map<
  string,
  (argument: unknown, scope: Scope) => unknown
>([
  ['not', (argument) => !truth(argument)],
  ['empty', (argument) => argument === null || size(argument) === 0],
  ['size', size],
  ['inverse', inverse],
  ['head', (argument) => list(argument)[0] ?? null],
  ['tail', (argument) => list(argument).slice(1)],
  ['concat', concat],
  ['toLower', (argument) => words(argument).toLowerCase()],
  ['toCaseFold', (argument) => words(argument).toLowerCase()],
  ['toUpper', (argument) => words(argument).toUpperCase()],
  ['toTitle', (argument) => words(argument).replace(/\b\p{L}/gu, (letter) => letter.toUpperCase())],
  ['escapeUri', (argument) => encodeURIComponent(words(argument))],
  [
    'fromObject',
    (argument) => Object.entries(record(argument)).map(([key, value]) => ({ key, value })),
  ],
  [
    'toObject',
    (argument) =>
      Object.fromEntries(
        list(argument)
          .map(record)
          .map(({ key, value }) => [key, value]),
      ),
  ],
  [
    'removeNulls',
    (argument) =>
      Array.isArray(argument)
        ? argument.filter((item) => item !== null)
        : Object.fromEntries(
            Object.entries(record(argument)).filter(([, value]) => value !== null),
          ),
  ],
  [
    'getSessionVariable',
    (argument, { $session_variables }) =>
      record($session_variables)[words(argument).toLowerCase()] ?? null,
  ],
])

function size(argument: unknown): number {
  if (typeof argument === 'string' || Array.isArray(argument)) return argument.length
  return typeof argument === 'number' ? argument : Object.keys(record(argument)).length
}

function inverse(argument: unknown): unknown {
  if (typeof argument === 'boolean') return !argument
  if (typeof argument === 'string') return [...argument].reverse().join('')
  return typeof argument === 'number' ? 1 / argument : list(argument).toReversed()
}

function concat(argument: unknown): unknown {
  const items = list(argument)
  if (items.every((item) => typeof item === 'string')) return items.join('')
  return items.every(Array.isArray) ? items.flat() : Object.assign({}, ...items.map(record))
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new TemplateError('not a list')
}

function words(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TemplateError('not a text')
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value))
  }
  throw new TemplateError('not an object')
}
