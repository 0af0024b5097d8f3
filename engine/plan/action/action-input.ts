import { isNumeral } from '../../../lib/exact-json.ts'
import { EngineError } from '../../errors.ts'
import { integer } from '../../json/decimal.ts'
import { own } from '../../json/own.ts'
import { isRecord } from '../../json/record.ts'
import { scalarOf } from '../../postgres/scalars.ts'
import { type TypeRef, typeText } from '../../schema/graphql-types.ts'
import { nameOf, notOneOf } from '../document/input.ts'
import { invalid } from '../planner.ts'

/**
 * Checks an action's argument against its type, at any depth. Values of the action's own scalars are left to
 * the handler.
 */
export function checkAgainst(type: TypeRef, value: unknown, path: string): unknown {
  if (type.kind === 'required') {
    if (value === null || value === undefined) throw mismatch(type.of, value, path)
    return checkAgainst(type.of, value, path)
  }
  if (value === null || value === undefined) return null
  if (type.kind === 'list') {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    return items.map((item, i) => checkAgainst(type.of, item, `${path}[${i}]`))
  }
  if (type.kind === 'input') return checkObject(type, value, path)
  if (type.kind === 'enum') {
    if (type.values.some(({ name }) => name === value)) return value
    throw invalid(path, notOneOf(type, String(value)))
  }
  if (type.kind === 'scalar')
    checkScalar(type.name, type.type && scalarOf(type.type).accepts, value, path)
  return value
}

function checkObject(
  type: Extract<TypeRef, { kind: 'input' }>,
  value: unknown,
  path: string,
): unknown {
  if (!isRecord(value)) throw mismatch(type, value, path)
  const fields = type.fields()
  for (const key of Object.keys(value))
    if (!fields.has(key))
      throw invalid(`${path}.${key}`, `field '${key}' not found in type: '${type.name}'`)
  const members = [...fields.values()].flatMap((field) => {
    if (Object.hasOwn(value, field.name))
      return [[field.name, checkAgainst(field.type, value[field.name], `${path}.${field.name}`)]]
    if (field.type.kind === 'required')
      throw invalid(`${path}.${field.name}`, `missing required field '${field.name}'`)
    return []
  })
  return Object.fromEntries(members)
}

/** The JSON values that GraphQL's own scalars accept; scalars of the database also accept text. */
const TAKES: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => isNumeral(value) && integer(value, 32) !== null,
  Float: isNumeral,
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string' || (isNumeral(value) && integer(value, 32) !== null),
}

function checkScalar(name: string, accepts: string | null, value: unknown, path: string): void {
  const takes = own(TAKES, name)
  if (takes && !takes(value))
    throw invalid(path, `expected a ${name} for type '${name}', but found ${nameOf(value)}`)
  if (!takes && accepts === 'string' && typeof value !== 'string')
    throw new EngineError('parse-failed', `A string is expected for type: ${name}`, { path })
}

function mismatch(type: TypeRef, value: unknown, path: string): EngineError {
  return invalid(path, `expected a value for type '${typeText(type)}', but found ${nameOf(value)}`)
}
