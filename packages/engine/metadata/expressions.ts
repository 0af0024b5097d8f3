import { z } from 'zod'
import { wrongKindMessage } from '../json/aeson-wording.ts'
import { ownValue } from '../json/own-value.ts'
import { quotedNames } from '../json/quoted-names.ts'
import { isList, isRecord } from '../json/record.ts'
import { QualifiedName } from './primitives.ts'

/**
 * The boolean expression of a permission. Only its connectives are checked here. The model parses the conditions on
 * columns, relationships and computed fields, because they depend on the table.
 */
export const Expression = z
  .record(z.string(), z.unknown(), {
    error: ({ input }) => (input === undefined ? undefined : notAnExpression(input)),
  })
  .superRefine((expression, context) => {
    for (const { path, message } of faultsOf(expression, []))
      context.addIssue({ code: 'custom', path: [...path], message })
  })

/** The operand of `_exists`: a table, and the condition for its rows. */
export const Exists = z.strictObject({ _table: QualifiedName, _where: z.unknown() })

type Path = readonly (string | number)[]
type Fault = { path: Path; message: string }
type Check = (value: unknown, path: Path) => readonly Fault[]

function notAnExpression(value: unknown): string {
  return wrongKindMessage('boolean expression', 'Object', value)
}

function faultsOf(expression: unknown, path: Path): readonly Fault[] {
  if (!isRecord(expression)) return [{ path, message: notAnExpression(expression) }]
  return Object.entries(expression).flatMap(
    ([key, value]) => ownValue(CONNECTIVES, key.replace(/^\$/, '_'))?.(value, [...path, key]) ?? [],
  )
}

const CONNECTIVES: Readonly<Record<string, Check>> = {
  _and: faultsOfList,
  _or: faultsOfList,
  _not: faultsOf,
  _exists: faultsOfExists,
}

function faultsOfList(value: unknown, path: Path): readonly Fault[] {
  if (!isList(value)) return [{ path, message: wrongKindMessage('[]', 'Array', value) }]
  return value.flatMap((item, i) => faultsOf(item, [...path, i]))
}

function faultsOfExists(value: unknown, path: Path): readonly Fault[] {
  if (!isRecord(value)) return [{ path, message: wrongKindMessage('_exists', 'Object', value) }]
  const missingKey = ['_table', '_where'].find((key) => value[key] === undefined)
  if (missingKey) return [{ path, message: `key "${missingKey}" not found` }]
  const { _table, _where, ...unknownMembers } = value
  const unknownKeys = Object.keys(unknownMembers)
  if (unknownKeys.length > 0)
    return [{ path, message: `unexpected key ${quotedNames(unknownKeys)}` }]
  const [issue] = QualifiedName.safeParse(_table).error?.issues ?? []
  if (issue) return [{ path: [...path, '_table'], message: issue.message }]
  return faultsOf(_where, [...path, '_where'])
}
