import { isNumeral } from '../../../lib/exact-json.ts'
import { EngineError } from '../../errors.ts'
import { integerText } from '../../json/decimal.ts'
import { ownValue } from '../../json/own-value.ts'
import { isRecord } from '../../json/record.ts'
import { scalarOf } from '../../postgres/scalars.ts'
import { type TypeRef, typeText } from '../../schema/graphql-types.ts'
import { describeValue, enumValueMessage } from '../document/describe-value.ts'
import { validationError } from '../planner.ts'

/**
 * Checks an action's argument against its type, at any depth. Values of the action's own scalars are left to
 * the handler.
 */
export function checkArgument(type: TypeRef, value: unknown, path: string): unknown {
  if (type.kind === 'required') {
    if (value === null || value === undefined) throw mismatchError(type.of, value, path)
    return checkArgument(type.of, value, path)
  }
  if (value === null || value === undefined) return null
  if (type.kind === 'list') {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    return items.map((item, i) => checkArgument(type.of, item, `${path}[${i}]`))
  }
  if (type.kind === 'input') return checkInputObject(type, value, path)
  if (type.kind === 'enum') {
    if (type.values.some(({ name }) => name === value)) return value
    throw validationError(path, enumValueMessage(type, String(value)))
  }
  if (type.kind === 'scalar')
    checkScalarValue(type.name, type.type && scalarOf(type.type).accepts, value, path)
  return value
}

function checkInputObject(
  type: Extract<TypeRef, { kind: 'input' }>,
  value: unknown,
  path: string,
): unknown {
  if (!isRecord(value)) throw mismatchError(type, value, path)
  const fields = type.fields()
  for (const key of Object.keys(value))
    if (!fields.has(key))
      throw validationError(`${path}.${key}`, `field '${key}' not found in type: '${type.name}'`)
  const members = [...fields.values()].flatMap((field) => {
    if (Object.hasOwn(value, field.name))
      return [[field.name, checkArgument(field.type, value[field.name], `${path}.${field.name}`)]]
    if (field.type.kind === 'required')
      throw validationError(`${path}.${field.name}`, `missing required field '${field.name}'`)
    return []
  })
  return Object.fromEntries(members)
}

/** The JSON values that GraphQL's own scalars accept; scalars of the database also accept text. */
const TAKES: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => isNumeral(value) && integerText(value, 32) !== null,
  Float: isNumeral,
  String: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  ID: (value) => typeof value === 'string' || (isNumeral(value) && integerText(value, 32) !== null),
}

function checkScalarValue(
  name: string,
  accepts: string | null,
  value: unknown,
  path: string,
): void {
  const takes = ownValue(TAKES, name)
  if (takes && !takes(value))
    throw validationError(
      path,
      `expected a ${name} for type '${name}', but found ${describeValue(value)}`,
    )
  if (!takes && accepts === 'string' && typeof value !== 'string')
    throw new EngineError('parse-failed', `A string is expected for type: ${name}`, { path })
}

function mismatchError(type: TypeRef, value: unknown, path: string): EngineError {
  return validationError(
    path,
    `expected a value for type '${typeText(type)}', but found ${describeValue(value)}`,
  )
}
