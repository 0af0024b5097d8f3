import { EngineError, validationError } from '../../../errors.ts'
import { acceptedValue, UnacceptedValue } from '../../../postgres/accepted-value.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import type { EnumType, TypeRef } from '../../schema/graphql-types.ts'
import { describeValue, enumValueMessage } from './describe-value.ts'
import { NAME, nullableType } from './input.ts'

/**
 * Creates the check for the values of an input. A value of an enum must be one of the enum's names. Any other value
 * must be accepted by the PostgreSQL type. The check returns the value that PostgreSQL gets.
 */
export function valueCheck(
  { type: ref, path }: { type: TypeRef; path: string },
  type: PgType,
): (value: unknown) => unknown {
  const place = nullableType(ref)
  if (place.kind === 'enum') return (value) => checkEnumName(place, value, path)
  return (value) => checkValue(type, value, path)
}

function checkEnumName(type: EnumType, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string' || !NAME.test(value))
    throw notAnEnumValue(type, describeValue(value), path)
  const place = type.values.findIndex(({ name }) => name === value)
  if (place >= 0) return type.database?.values[place]?.value ?? value
  throw validationError(path, enumValueMessage(type, value))
}

/** Creates the error for a value that an enum does not have. */
export function notAnEnumValue({ name }: EnumType, description: string, path: string): EngineError {
  return validationError(
    path,
    `expected an enum value for type '${name}', but found ${description}`,
  )
}

function checkValue(type: PgType, value: unknown, path: string): unknown {
  try {
    return acceptedValue(type, value)
  } catch (cause) {
    throw cause instanceof UnacceptedValue ? unacceptedError(cause, path) : cause
  }
}

function unacceptedError(cause: UnacceptedValue, path: string): EngineError {
  return new EngineError('parse-failed', cause.message, { path, cause })
}
